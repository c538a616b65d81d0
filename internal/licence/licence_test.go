package licence

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The beginnings and conditions of licences, as spdx.org has them.
const (
	mit  = "Permission is hereby granted, free of charge, to any person obtaining a copy of this\nsoftware, to deal in the Software without restriction"
	bsd2 = "Redistribution and use in source\n * and binary forms, with or without modification, are permitted"
	bsd3 = bsd2 + "\nNeither the name of Roe may be used to endorse or\npromote products derived from this software"
	gpl  = "                    GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007\n"
	mpl  = "Mozilla Public License Version 2.0\n==================================\n1.12. \"Secondary License\" means either the GNU General Public License, Version 2.0, or"
	isc  = "Permission to use, copy, modify, and/or distribute this software for any purpose with or\nwithout fee is hereby granted, provided that the above copyright notice"
)

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		mit: "MIT", bsd2: "BSD-2-Clause", bsd3: "BSD-3-Clause", gpl: "GPL", mpl: "MPL-2.0", isc: "ISC", mit + "\n" + bsd3: "BSD-3-Clause MIT",
		"                                 Apache License\n                           Version 2.0, January 2004\n": "Apache-2.0",
		strings.Replace(gpl, "GENERAL", "LESSER GENERAL", 1):                                                      "LGPL",
		strings.Replace(gpl, "GENERAL", "AFFERO GENERAL", 1):                                                      "AGPL",
		isc + "\n" + strings.Replace(isc, "and/or", "and", 1):                                                     "ISC",
		strings.Split(isc, ", provided")[0]:                                                                       "0BSD",
		"All rights reserved.":                                                                                    "",
	} {
		if got := strings.Join(Identify(text), " "); got != want {
			t.Errorf("%.60q is %q, want %q", text, got, want)
		}
	}
	for id, want := range map[string]bool{"MIT": true, "GPL": false, "LGPL": false, "AGPL": false, "MPL-2.0": false, "BUSL-1.1": false, "": false} {
		if Permissive(id) != want {
			t.Errorf("%s is permissive: %v", id, !want)
		}
	}
}

// The files at the root count, each once, but not notices about others; without a known licence the files are named.
func TestModules(t *testing.T) {
	ids, err := Of(fstest.MapFS{"LICENSE": {Data: []byte(mit)}, "COPYING.md": {Data: []byte(bsd3)}, "LICENSE-FONT": {Data: []byte(mit)}, "LICENSE-3RD-PARTY.md": {Data: []byte(gpl)}, "sub/LICENSE": {Data: []byte(gpl)}, "LICENSES/GPL": {Data: []byte(gpl)}, "main.go": {Data: []byte(gpl)}})
	if err != nil || !slices.Equal(ids, []string{"BSD-3-Clause", "MIT"}) {
		t.Error(ids, err)
	}
	if ids, err := Of(fstest.MapFS{"LICENSE": {Data: []byte("mine")}}); err == nil || !strings.Contains(err.Error(), `["LICENSE"]`) {
		t.Error(ids, err)
	}
	for _, none := range []string{filepath.Join(t.TempDir(), "missing"), os.DevNull} {
		if ids, err := Of(os.DirFS(none)); err == nil || strings.Contains(err.Error(), "no licence that is known") {
			t.Errorf("%s: %v, %v", none, ids, err)
		}
	}
	if _, err := Of(closed{fstest.MapFS{"COPYING": {Data: []byte(mit)}, "LICENSE": {Data: []byte(mit)}}}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	if _, err := Of(fstest.MapFS{"README": {Data: []byte(mit)}}); err == nil {
		t.Error("a module without a licence has one")
	}
}

// closed are files of which that with the licence may not be read.
type closed struct{ fstest.MapFS }

func (c closed) ReadFile(name string) ([]byte, error) {
	if name == "LICENSE" {
		return nil, fs.ErrPermission
	}
	return c.MapFS.ReadFile(name)
}

// Licences come in the order of their names, each once, however they lie in a text or in files.
func TestLicencesAreSorted(t *testing.T) {
	if got := Identify(mpl + "\nEclipse Public License - v 2.0\n" + mit); !slices.Equal(got, []string{"EPL-2.0", "MIT", "MPL-2.0"}) {
		t.Errorf("a text has %q", got)
	}
	ids, err := Of(fstest.MapFS{"COPYING": {Data: []byte(mit)}, "LICENSE": {Data: []byte(bsd2)}, "LICENSE.more": {Data: []byte(mit)}, "UNLICENSE": {Data: []byte("The Apache License, Version 2.0")}, "unlicense.txt": {Data: []byte(gpl)}})
	if err != nil || !slices.Equal(ids, []string{"BSD-2-Clause", "GPL", "MIT"}) {
		t.Errorf("files have %q, %v", ids, err)
	}
}
