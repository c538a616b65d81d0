// Command kedge optimizes decisions that move the data they are judged on.
package main

import (
	"github.com/kedge-opt/kedge/command"
	"github.com/kedge-opt/kedge/problem/kind"
)

func main() { command.Main(kind.Standard()) }
