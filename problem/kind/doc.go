// Package kind holds what specs can name: dynamics, objectives, sets, laws, constraints and methods. All that kedge knows of a kind
// stands in one file: its keys and what they mean, what must hold between them, how it is made, and how a report speaks of it.
//
// A [Catalogue] lists the kinds. A program adds kinds of its own to [Standard] before it hands the catalogue to the command.
package kind
