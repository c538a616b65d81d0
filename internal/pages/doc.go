// Package pages has no code: its tests type the commands of README.md and docs, and compare what is printed and drawn with what the pages show.
package pages
