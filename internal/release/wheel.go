package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// client is the Python package: its sources, and what pyproject.toml and README.md say of it.
type client struct {
	name, version string
	sources       []entry
	metadata      []byte
	license       []byte
}

// readClient reads clients/python of the tree at root.
func readClient(root string) (*client, error) {
	dir := filepath.Join(root, "clients", "python")
	project, err := os.ReadFile(filepath.Join(dir, "pyproject.toml"))
	if err != nil {
		return nil, err
	}
	tables, err := parseProject(project)
	if err != nil {
		return nil, err
	}
	c := new(client)
	for key, to := range map[string]*string{"name": &c.name, "version": &c.version} {
		if err := json.Unmarshal([]byte(tables["project"][key]), to); err != nil {
			return nil, fmt.Errorf("pyproject.toml: %s: %w", key, err)
		}
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return nil, err
	}
	if c.metadata, err = metadata(tables, readme); err != nil {
		return nil, err
	}
	if c.license, err = os.ReadFile(filepath.Join(root, "LICENSE")); err != nil {
		return nil, err
	}
	return c, c.readSources(filepath.Join(dir, "src", c.name))
}

func (c *client) readSources(dir string) error {
	for _, pattern := range []string{"*.py", "py.typed"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			c.sources = append(c.sources, entry{c.name + "/" + filepath.Base(file), plainMode, text})
		}
	}
	return nil
}

// parseProject reads the part of TOML that pyproject.toml is written in: tables of values, one a line.
func parseProject(text []byte) (map[string]map[string]string, error) {
	head := regexp.MustCompile(`^\[([\w.-]+)\]$`)
	pair := regexp.MustCompile(`^([\w.-]+) = (.+)$`)
	tables, table := map[string]map[string]string{}, map[string]string{}
	for n, line := range strings.Split(string(text), "\n") {
		if h := head.FindStringSubmatch(line); h != nil {
			table = map[string]string{}
			tables[h[1]] = table
		} else if p := pair.FindStringSubmatch(line); p != nil {
			table[p[1]] = p[2]
		} else if strings.TrimSpace(line) != "" {
			return nil, fmt.Errorf("pyproject.toml:%d: %q is neither [table] nor key = value on one line", n+1, line)
		}
	}
	return tables, nil
}

// metadata is the file METADATA of the core metadata specification.
func metadata(tables map[string]map[string]string, readme []byte) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("Metadata-Version: 2.1\n")
	license := regexp.MustCompile(`^\{ text = (".*") \}$`)
	for _, f := range [][2]string{{"Name", "name"}, {"Version", "version"}, {"Summary", "description"}, {"License", "license"}, {"Requires-Python", "requires-python"}} {
		var value string
		raw := license.ReplaceAllString(tables["project"][f[1]], "$1")
		if err := json.Unmarshal([]byte(raw), &value); err != nil {
			return nil, fmt.Errorf("pyproject.toml: project.%s: %w", f[1], err)
		}
		fmt.Fprintf(&b, "%s: %s\n", f[0], value)
	}
	extras := tables["project.optional-dependencies"]
	for _, extra := range slices.Sorted(maps.Keys(extras)) {
		var needs []string
		if err := json.Unmarshal([]byte(extras[extra]), &needs); err != nil {
			return nil, fmt.Errorf("pyproject.toml: project.optional-dependencies.%s: %w", extra, err)
		}
		fmt.Fprintf(&b, "Provides-Extra: %s\n", extra)
		for _, need := range needs {
			fmt.Fprintf(&b, "Requires-Dist: %s; extra == '%s'\n", need, extra)
		}
	}
	b.WriteString("Description-Content-Type: text/markdown\n\n")
	b.Write(readme)
	return b.Bytes(), nil
}

// wheel packs the package with the command for its target inside, and returns the name of the file too.
func (c *client) wheel(t Platform, command []byte, at time.Time) (name string, packed []byte, err error) {
	tags := ""
	for _, platform := range t.tags() {
		tags += "Tag: py3-none-" + platform + "\n"
	}
	info := fmt.Sprintf("%s-%s.dist-info/", c.name, c.version)
	files := append(slices.Clone(c.sources),
		entry{c.name + "/bin/" + t.program(), programMode, command},
		entry{info + "METADATA", plainMode, c.metadata},
		entry{info + "WHEEL", plainMode, []byte("Wheel-Version: 1.0\nGenerator: kedge release\nRoot-Is-Purelib: false\n" + tags)},
		entry{info + "entry_points.txt", plainMode, fmt.Appendf(nil, "[console_scripts]\nkedge = %s.__main__:main\n", c.name)},
		entry{info + "licenses/LICENSE", plainMode, c.license})
	files = sorted(files)
	files = append(files, entry{info + "RECORD", plainMode, record(files, info+"RECORD")}) // last, as the format recommends
	packed, err = zipped(files, at)
	return fmt.Sprintf("%s-%s-py3-none-%s.whl", c.name, c.version, strings.Join(t.tags(), ".")), packed, err
}

// record lists the files of a wheel with their checksums.
func record(files []entry, itself string) []byte {
	var b bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.bytes)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.bytes))
	}
	fmt.Fprintf(&b, "%s,,\n", itself)
	return b.Bytes()
}
