package release

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// A bill by hand, after the format's description at cyclonedx.org: VERSION is kedge's.
const billByHand = `{
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "version": 1,
  "metadata": {
    "timestamp": "2026-01-02T12:00:00Z",
    "component": {
      "type": "application",
      "bom-ref": "pkg:golang/example.org/m@VERSION",
      "name": "example.org/M",
      "version": "VERSION",
      "purl": "pkg:golang/example.org/m@VERSION",
      "licenses": [
        {
          "expression": "Apache-2.0"
        }
      ],
      "properties": [
        {
          "name": "revision",
          "value": "0123"
        },
        {
          "name": "target",
          "value": "darwin/arm64"
        },
        {
          "name": "go",
          "value": "go1.26.0"
        }
      ]
    }
  },
  "components": [
    {
      "type": "library",
      "bom-ref": "pkg:golang/example.org/dep@v1.2.3",
      "name": "example.org/Dep",
      "version": "v1.2.3",
      "purl": "pkg:golang/example.org/dep@v1.2.3",
      "licenses": [
        {
          "expression": "BSD-3-Clause AND MIT"
        }
      ],
      "properties": [
        {
          "name": "go.sum",
          "value": "h1:abc"
        }
      ]
    },
    {
      "type": "library",
      "bom-ref": "pkg:golang/stdlib@1.26.0",
      "name": "stdlib",
      "version": "1.26.0",
      "purl": "pkg:golang/stdlib@1.26.0",
      "licenses": [
        {
          "expression": "BSD-3-Clause"
        }
      ]
    },
    {
      "type": "library",
      "bom-ref": "pkg:npm/preact@11.2.0",
      "name": "preact",
      "version": "11.2.0",
      "purl": "pkg:npm/preact@11.2.0",
      "licenses": [
        {
          "expression": "MIT"
        }
      ]
    },
    {
      "type": "library",
      "bom-ref": "pkg:npm/uplot@1.6.32",
      "name": "uplot",
      "version": "1.6.32",
      "purl": "pkg:npm/uplot@1.6.32",
      "licenses": [
        {
          "expression": "MIT"
        }
      ]
    }
  ],
  "dependencies": [
    {
      "ref": "pkg:golang/example.org/dep@v1.2.3"
    },
    {
      "ref": "pkg:golang/stdlib@1.26.0"
    },
    {
      "ref": "pkg:npm/preact@11.2.0"
    },
    {
      "ref": "pkg:npm/uplot@1.6.32"
    },
    {
      "ref": "pkg:golang/example.org/m@VERSION",
      "dependsOn": [
        "pkg:golang/example.org/dep@v1.2.3",
        "pkg:golang/stdlib@1.26.0",
        "pkg:npm/preact@11.2.0",
        "pkg:npm/uplot@1.6.32"
      ]
    }
  ]
}
`

// A bill is as it is by hand, to the byte; a module whose licence is not known, or which is of another version, has none.
func TestABillByHand(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "example.org/M"}, Deps: []*debug.Module{{Path: "example.org/Dep", Version: "v1.2.3", Sum: "h1:abc"}}}
	p := program{Platform: Platform{"darwin", "arm64"}, revision: "0123", at: noon}
	parts := []Material{{Path: "example.org/Dep", Version: "v1.2.3", Sum: "h1:other", Licences: []string{"BSD-3-Clause", "MIT"}}, {Path: "example.org/unused", Version: "v1.0.0", Fault: "none"}}
	name, text, err := billOf(p, info, parts)
	if want := strings.ReplaceAll(billByHand, "VERSION", folder.Version); err != nil || name != "kedge-"+folder.Version+"-macos-arm64.cdx.json" || string(text) != want {
		t.Errorf("%s, %v:\n%s", name, err, text)
	}
	if !json.Valid(text) {
		t.Error("it is no JSON")
	}
	parts[0].Fault = "no licence that is known in its files []"
	if _, _, err := billOf(p, info, parts); err == nil || err.Error() != "example.org/Dep v1.2.3: no licence is known: no licence that is known in its files []" {
		t.Error(err)
	}
	parts[0] = Material{Path: "example.org/Dep", Version: "v1.2.4", Licences: []string{"MIT"}}
	if _, _, err := billOf(p, info, parts); err == nil || err.Error() != "example.org/Dep v1.2.3: no licence is known: " {
		t.Error(err)
	}
	bare := ingredientOf("golang", Material{Path: "x", Version: "1"})
	if bare.Licences != nil || bare.Properties != nil || bare.Type != "library" {
		t.Errorf("%+v", bare)
	}
}

// Of files that were signed one that cannot be read, for it is a folder, is told as that, and checksums of the others do not help.
func TestFilesThatCannotBeRead(t *testing.T) {
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "key")
	if err := NewKey(key); err != nil {
		t.Fatal(err)
	}
	list := sums(map[string][]byte{"a": []byte("a"), "b": []byte("b")})
	signature, err := sign(key, list)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, sumsFile), string(list))
	put(t, filepath.Join(dir, signFile), string(signature))
	put(t, filepath.Join(dir, "a"), "a")
	if got, err := Verify(dir, key+".pub"); err != nil || len(got.Files) != 1 || got.Files[0] != "a" || len(got.Missing) != 1 || got.Missing[0] != "b" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(dir, key+".pub"); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
	if want := "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a\n3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b\n"; string(list) != want {
		t.Errorf("the list is %s", list)
	}
}
