// Command release makes what people install without Go: archives with kedge and its shell completions for every system, wheels of the
// Python package that carry it, and their checksums.
//
//	go run ./cmd/release                          # everything, into dist
//	go run ./cmd/release -targets host -out /tmp  # for this machine alone
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/kedge-opt/kedge/internal/release"
)

func main() {
	o := release.Making{Root: ".", Log: os.Stdout}
	flag.StringVar(&o.Out, "out", "dist", "folder for what is made")
	flag.BoolVar(&o.Modified, "modified", false, "also of a tree that no revision has")
	targets := flag.String("targets", "all", "systems and architectures, as in linux/amd64,darwin/arm64; host is this one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if o.Platforms, err = release.ParsePlatforms(*targets); err == nil {
		err = release.Make(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release: "+err.Error())
		os.Exit(1)
	}
}
