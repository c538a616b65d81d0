// Command site makes static pages of README.md, docs and the other documents: HTML without scripts that needs no network.
//
//	go run ./cmd/site             # into site
//	go run ./cmd/site -check      # look for links that lead nowhere, write nothing
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/site"
)

func main() {
	out := flag.String("out", "site", "folder for the pages")
	check := flag.Bool("check", false, "look for links that lead nowhere, and write nothing")
	flag.Parse()
	files, err := site.Make(os.DirFS("."))
	if err == nil && !*check {
		err = write(*out, files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site: "+err.Error())
		os.Exit(1)
	}
	fmt.Printf("%d files, all links lead somewhere\n", len(files))
}

func write(out string, files site.Files) error {
	for name, text := range files {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := folder.WriteFile(path, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	return nil
}
