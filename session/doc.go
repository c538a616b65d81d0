// Package session is a rule that decides for people who are elsewhere. It is asked for a decision, told what was deployed and what
// people did, and takes one step of the same rule that runs in the laboratory.
//
// A [Loop] is a state machine: commands become events, and its state is a function of its events alone. What it holds it can rebuild from
// them, and decide everything again with the same bits. It knows no clock, file or network.
//
// In doubt it holds: too few people, an unknown deployment or a step that fails leave live what is live.
package session
