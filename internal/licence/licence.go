// Package licence tells from a module's files under which licences it comes.
package licence

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// mark is a sentence that only one licence has, in small letters and with single spaces.
type mark struct {
	id      string
	has     []string
	without string
}

// marks are the licences that are known. Copies differ in their quotes, bullets and names; what grants the rights does not.
func marks() []mark {
	const (
		bsd   = "redistribution and use in source and binary forms"
		name  = "endorse or promote products derived"
		grant = "permission to use, copy, modify, and/or distribute this software for any purpose"
		older = "permission to use, copy, modify, and distribute this software for any purpose"
		keep  = "provided that the above copyright notice"
	)
	return []mark{
		{id: "Apache-2.0", has: []string{"apache license version 2.0"}},
		{id: "BSD-3-Clause", has: []string{bsd, name}},
		{id: "BSD-2-Clause", has: []string{bsd}, without: name},
		{id: "MIT", has: []string{"permission is hereby granted, free of charge, to any person obtaining a copy", "without restriction"}},
		{id: "ISC", has: []string{grant, keep}},
		{id: "ISC", has: []string{older, keep}},
		{id: "0BSD", has: []string{grant}, without: keep},
		{id: "CC-BY-4.0", has: []string{"creative commons attribution 4.0 international public license by exercising"}},
		{id: "OFL-1.1", has: []string{"sil open font license version 1.1"}},
		{id: "FTL", has: []string{"the freetype license, which is similar to the original bsd license"}},
		{id: "Unlicense", has: []string{"this is free and unencumbered software released into the public domain"}},
		{id: "LicenseRef-public-domain", has: []string{"has been dedicated to the public domain"}},
		{id: "MPL-2.0", has: []string{"mozilla public license version 2.0"}},
		{id: "MPL-2.0", has: []string{"mozilla public license, version 2.0"}, without: "apache license version 2.0"},
		{id: "EPL-2.0", has: []string{"eclipse public license - v 2.0"}},
		{id: "LGPL", has: []string{"gnu lesser general public license version"}},
		{id: "AGPL", has: []string{"gnu affero general public license version"}},
		{id: "GPL", has: []string{"gnu general public license version"}},
		{id: "SSPL", has: []string{"server side public license"}},
		{id: "BUSL-1.1", has: []string{"business source license 1.1"}},
	}
}

// Permissive tells whether whoever passes a program on may do so under terms of their own: what is left to do is to name authors and licence.
func Permissive(id string) bool {
	return slices.Contains([]string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "ISC", "0BSD", "CC-BY-4.0", "OFL-1.1", "FTL", "Unlicense", "LicenseRef-public-domain"}, id)
}

var spaces = regexp.MustCompile(`[\s*#>_=-]+`)

// Identify lists the licences that a text has, in the order of their names.
func Identify(text string) (ids []string) {
	text = strings.ReplaceAll(spaces.ReplaceAllString(strings.ToLower(text), " "), "licence", "license")
	for _, m := range marks() {
		missing := slices.ContainsFunc(m.has, func(words string) bool { return !strings.Contains(text, spaces.ReplaceAllString(words, " ")) })
		if !missing && (m.without == "" || !strings.Contains(text, m.without)) && !slices.Contains(ids, m.id) {
			ids = append(ids, m.id)
		}
	}
	slices.Sort(ids)
	return ids
}

var paper = regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)`)

// notices are about what a module was made of and tested with, and say so; its own licence is another file.
var notices = regexp.MustCompile(`(?i)3rd|third`)

// Of lists the licences of a module from the files at its root. Without one that is known there is an error that names the files.
func Of(module fs.FS) (ids []string, err error) {
	entries, err := fs.ReadDir(module, ".")
	if err != nil {
		return nil, err
	}
	var read []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !paper.MatchString(e.Name()) || notices.MatchString(e.Name()) {
			continue
		}
		text, err := fs.ReadFile(module, e.Name())
		if err != nil {
			return nil, err
		}
		read = append(read, e.Name())
		ids = append(ids, Identify(string(text))...)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no licence that is known in its files %q", read)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
