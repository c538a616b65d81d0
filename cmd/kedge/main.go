// Command kedge optimizes decisions that move the data they are judged on.
package main

import "github.com/kedge-opt/kedge/command"

func main() { command.Main() }
