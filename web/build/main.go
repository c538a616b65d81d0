// Command build makes the dashboard of its sources: one page, one script, one style. The same sources give the same bytes, in any folder.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	out := flag.String("out", "../dist", "the folder to write to")
	flag.Parse()
	if err := build("..", *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	licences, err := licences(from)
	if err != nil {
		return err
	}
	made := api.Build(api.BuildOptions{
		EntryPoints:       []string{filepath.Join(from, "source/app.tsx"), filepath.Join(from, "source/app.css")},
		AbsWorkingDir:     from,
		Outdir:            filepath.Join(from, "dist"),
		Bundle:            true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone,
		Banner:            map[string]string{"js": "/* Preact 11.2.0 and uPlot 1.6.32: /assets/licences.txt */"},
		Charset:           api.CharsetUTF8,
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		JSX:               api.JSXTransform,
		JSXFactory:        "h",
		JSXFragment:       "Fragment",
		TsconfigRaw:       "{}",
		Plugins:           []api.Plugin{libraries(from)},
		LogLevel:          api.LogLevelSilent,
	})
	var wrong []error
	for _, m := range append(made.Errors, made.Warnings...) {
		where := ""
		if m.Location != nil {
			where = fmt.Sprintf("%s:%d: ", m.Location.File, m.Location.Line)
		}
		wrong = append(wrong, fmt.Errorf("%s%s", where, m.Text))
	}
	if wrong != nil {
		return errors.Join(wrong...)
	}
	page, err := os.ReadFile(filepath.Join(from, "source/index.html"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	files := map[string][]byte{"index.html": page, "licences.txt": []byte(licences)}
	for _, f := range made.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// licences are those of the libraries, which go with every copy: in a file of their own, which the script names, for nobody needs them to look at a page.
func licences(from string) (string, error) {
	var text strings.Builder
	for _, l := range []struct{ name, folder string }{{"Preact 11.2.0", "preact"}, {"uPlot 1.6.32", "uplot"}} {
		data, err := os.ReadFile(filepath.Join(from, "library", l.folder, "LICENSE"))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "%s\n\n%s\n\n", l.name, bytes.TrimSpace(data))
	}
	return text.String(), nil
}

// plainPaths leaves out how uPlot draws bars and splines, for the dashboard draws neither and a page is to be small. The file itself stays as it came.
func plainPaths(script string) (string, error) {
	const from, end = ",l.bars=function(", "}return en}();"
	at := strings.Index(script, from)
	if at < 0 || strings.Count(script, from) != 1 || !strings.HasSuffix(strings.TrimSpace(script), end) {
		return "", errors.New("uPlot is another version, whose bars and splines stand elsewhere: see plainPaths")
	}
	return script[:at] + end, nil
}

// libraries finds the libraries by their names, and makes modules of what pages of reports run as scripts.
func libraries(from string) api.Plugin {
	files := map[string]string{
		"preact": "library/preact/preact.mjs", "preact/hooks": "library/preact/hooks.mjs", "uplot": "library/uplot/uPlot.iife.min.js", "charts": "chart/charts.js",
	}
	before := map[string]string{"charts.js": "import uPlot from 'uplot';\nimport {Page} from '../source/page';\n"}
	after := map[string]string{"charts.js": "\nexport {Chart, Numbers};\n", "uPlot.iife.min.js": "\nexport default uPlot;\n"}
	return api.Plugin{Name: "libraries", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^(preact|preact/hooks|uplot|charts)$`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: filepath.Join(from, files[a.Path])}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: `(charts|uPlot\.iife\.min)\.js$`}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			data, err := os.ReadFile(a.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			name := filepath.Base(a.Path)
			text := string(data)
			if strings.HasPrefix(name, "uPlot") {
				if text, err = plainPaths(text); err != nil {
					return api.OnLoadResult{}, err
				}
			}
			text = before[name] + text + after[name]
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
	}}
}
