// Package archtest keeps the picture of docs/ARCHITECTURE.md true. It holds tests only: each rule is a function from the
// parsed module to its findings, a finding names the place and the remedy, and every rule has twins, tiny modules with the
// fault in them, that it must report.
package archtest
