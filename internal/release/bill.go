package release

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/licence"
)

// Material is a module that a program or its tests are built of.
type Material struct {
	Path, Version, Sum string
	Licences           []string
	Fault              string // why its licence is not known
}

// Materials lists the modules that packages are built of on a platform, by path, with the licences that their files have. Flags are of go list.
func Materials(ctx context.Context, root string, t Platform, flags ...string) ([]Material, error) {
	args := append([]string{"list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{.Sum}}{{"\t"}}{{.Dir}}{{end}}{{end}}`}, flags...)
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = root
	c.Env = append(os.Environ(), "GOOS="+t.OS, "GOARCH="+t.Arch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	out, err := c.Output()
	if err != nil {
		var said []byte
		if e, ok := err.(*exec.ExitError); ok {
			said = e.Stderr
		}
		return nil, fmt.Errorf("modules for %v: %w\n%s", t, err, said)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var all []Material
	for _, line := range slices.Compact(lines) {
		words := strings.Split(line, "\t")
		if len(words) != 4 {
			continue
		}
		p := Material{Path: words[0], Version: words[1], Sum: words[2]}
		if p.Licences, err = licence.Of(os.DirFS(words[3])); err != nil {
			p.Fault = err.Error()
		}
		all = append(all, p)
	}
	return all, nil
}

// embedded are what pages have in them that no module carries, as docs/DEPENDENCIES.md says.
func embedded() []Material {
	return []Material{{Path: "preact", Version: "11.2.0", Licences: []string{"MIT"}}, {Path: "uplot", Version: "1.6.32", Licences: []string{"MIT"}}}
}

// The parts of a bill of materials in CycloneDX 1.6 that are used here.
type (
	bill struct {
		Format       string        `json:"bomFormat"`
		Spec         string        `json:"specVersion"`
		Version      int           `json:"version"`
		Metadata     billHead      `json:"metadata"`
		Components   []ingredient  `json:"components"`
		Dependencies []billDepends `json:"dependencies"`
	}
	billHead struct {
		Timestamp string     `json:"timestamp"`
		Component ingredient `json:"component"`
	}
	billDepends struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn,omitempty"`
	}
	billNote struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	billLicence struct {
		Expression string `json:"expression"`
	}
	ingredient struct {
		Type       string        `json:"type"`
		Ref        string        `json:"bom-ref"`
		Name       string        `json:"name"`
		Version    string        `json:"version"`
		Purl       string        `json:"purl"`
		Licences   []billLicence `json:"licenses,omitempty"`
		Properties []billNote    `json:"properties,omitempty"`
	}
)

// ingredientOf is a part as a component. Of a text with several licences all count, but for a choice that is given.
func ingredientOf(kind string, p Material) ingredient {
	purl := "pkg:" + kind + "/" + strings.ToLower(p.Path) + "@" + p.Version
	c := ingredient{Type: "library", Ref: purl, Name: p.Path, Version: p.Version, Purl: purl}
	if len(p.Licences) > 0 {
		c.Licences = []billLicence{{strings.Join(p.Licences, " AND ")}}
	}
	if p.Sum != "" {
		c.Properties = []billNote{{"go.sum", p.Sum}}
	}
	return c
}

// billOf lists what a program is made of: what it says itself of its modules, with the licences of their files, the standard library and what its pages
// embed. The same program gives the same bytes.
func billOf(p program, info *debug.BuildInfo, parts []Material) (name string, text []byte, err error) {
	known := map[string]Material{}
	for _, m := range parts {
		known[m.Path+"@"+m.Version] = m
	}
	self := ingredientOf("golang", Material{Path: info.Main.Path, Version: folder.Version, Licences: []string{"Apache-2.0"}})
	self.Type = "application"
	self.Properties = []billNote{{"revision", p.revision}, {"target", p.Platform.String()}, {"go", info.GoVersion}}
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: billHead{p.at.Format(time.RFC3339), self}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return "", nil, fmt.Errorf("%s is replaced by %s, which nobody could have from its name", d.Path, d.Replace.Path)
		}
		m, there := known[d.Path+"@"+d.Version]
		if !there || m.Fault != "" {
			return "", nil, fmt.Errorf("%s %s: no licence is known: %s", d.Path, d.Version, m.Fault)
		}
		m.Sum = d.Sum
		b.Components = append(b.Components, ingredientOf("golang", m))
	}
	b.Components = append(b.Components, ingredientOf("golang", Material{Path: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go"), Licences: []string{"BSD-3-Clause"}}))
	for _, m := range embedded() {
		b.Components = append(b.Components, ingredientOf("npm", m))
	}
	on := billDepends{Ref: self.Ref}
	for _, c := range b.Components {
		on.On = append(on.On, c.Ref)
		b.Dependencies = append(b.Dependencies, billDepends{Ref: c.Ref})
	}
	b.Dependencies = append(b.Dependencies, on)
	text, err = json.MarshalIndent(b, "", "  ")
	return p.stem(folder.Version) + ".cdx.json", append(text, '\n'), err
}
