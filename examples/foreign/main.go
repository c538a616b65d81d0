// Command foreign is kedge with a dynamics and a method of its own: specs, comparisons, reports and completion know them like those that
// kedge comes with. docs/tutorial/kinds.md tells how.
package main

import (
	"github.com/kedge-opt/kedge/command"
	"github.com/kedge-opt/kedge/problem/kind"
)

func main() {
	kinds := kind.Standard()
	kinds.Dynamics = append(kinds.Dynamics, &fatigue{})
	kinds.Methods = append(kinds.Methods, &unit{})
	command.Main(kinds)
}
