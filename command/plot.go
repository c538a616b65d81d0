package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
	"github.com/spf13/cobra"
)

// plotFlags are the flags of kedge plot.
type plotFlags struct {
	plot.Plot
	size       string
	out        []string
	unverified unverifiedFlag
}

func newPlot() *cobra.Command {
	var f plotFlags
	c := &cobra.Command{
		Use:   "plot DIR…",
		Short: "Draw a figure of your own from runs and sweeps",
		Long: `Draw columns of result folders: of a run the columns of series.csv, of a sweep those of table.csv. Several
folders are drawn into one figure and told apart by name. What is not said is chosen from the data: a run is
drawn over its turns, one numeric key of a sweep makes lines with a band from the least to the greatest, and two
make a heat map.

The figure goes to plot.svg, or to the files of --out by their endings: .svg, .png, .pdf. Files that belong to a result are left alone.

Exit codes: 0 drawn, 1 failed while writing, 64 the command is wrong (nothing was written), 130 stopped
by Ctrl-C (nothing was written).`,
		Example: `  kedge plot runs/polarized
  kedge plot runs/polarized --y distance --band quantiles --out distance.pdf
  kedge plot runs/a runs/b --where algorithm=composite
  kedge plot runs/polarized --kind hist --x gap --where k=last
  kedge plot runs/polarized --ylabel loss --rename vanilla=retraining
  kedge plot runs/shop --y decision
  kedge plot sweeps/steps --x algorithms.composite.step
  kedge plot sweeps/grid --x dynamics.lambda --by dynamics.sigma --out heat.pdf`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, dirs []string) error {
			return interrupted(c, f.run(c.Context(), c.OutOrStdout(), dirs))
		},
	}
	fl := c.Flags()
	fl.StringVarP(&f.X, "x", "x", "", "column of the horizontal axis")
	fl.StringVarP(&f.Y, "y", "y", "", "column to draw as lines, points or colours, or decision for all entries u_0, u_1, … (default gap)")
	fl.StringVar(&f.By, "by", "", "column that tells lines or points apart; of a heat map the vertical axis")
	fl.StringVar(&f.Facet, "facet", "", "column whose values get panels of their own")
	fl.StringVar((*string)(&f.Kind), "kind", "", "line, scatter, hist or heat (default chosen from the data)")
	fl.StringVar(&f.Log, "log", "", "logarithmic axes: x, y, xy or none; of a heat map y is the colour (default chosen from the data)")
	fl.StringVar((*string)(&f.Band), "band", "minmax", "around means: minmax, quantiles (10 to 90 %) or none")
	fl.StringArrayVar(&f.Where, "where", nil, "draw only rows of COLUMN=VALUE; VALUE may be first or last (repeatable)")
	fl.StringVar(&f.Title, "title", "", "words above the figure")
	fl.StringVar(&f.XLabel, "xlabel", "", "words for the horizontal axis")
	fl.StringVar(&f.YLabel, "ylabel", "", "words for the vertical axis")
	fl.StringArrayVar(&f.Rename, "rename", nil, "call a method, folder, value or column of the figure otherwise: OLD=NEW (repeatable)")
	fl.StringVar(&f.size, "size", "", "width and height on paper, as in 8x5cm, 3.3x2in or 240x160pt")
	fl.StringArrayVar(&f.out, "out", []string{"plot.svg"}, "file to write: .svg, .png or .pdf (repeatable)")
	f.unverified.offer(c)
	completePlot(c)
	return c
}

// completePlot completes the flags that are one of a few words, and columns by the folders typed before them.
func completePlot(c *cobra.Command) {
	completeWords(c, "kind", []string{"line", "scatter", "hist", "heat"})
	completeWords(c, "log", []string{"x", "y", "xy", "none"})
	completeWords(c, "band", []string{"minmax", "quantiles", "none"})
	for _, flag := range []string{"x", "y", "by", "facet"} {
		_ = c.RegisterFlagCompletionFunc(flag, completeColumn) // the flags are there
	}
}

// completeColumn offers the columns of the first folder.
func completeColumn(c *cobra.Command, dirs []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(dirs) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	sheet, err := openSheet(c.Context(), dirs[0], "", folder.Verified)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	columns := sheet.Columns()
	if slices.Contains(columns, "u_0") {
		columns = append(columns, "decision")
	}
	return columns, cobra.ShellCompDirectiveNoFileComp
}

func (f *plotFlags) run(ctx context.Context, w io.Writer, dirs []string) error {
	figure, err := f.figure(ctx, dirs)
	if err != nil {
		return err
	}
	for _, path := range f.out {
		err := folder.WriteFile(path, func(w io.Writer) error {
			_, err := w.Write(*encoding(&figure, path))
			return err
		})
		if err != nil {
			return exit.Failure(err)
		}
		if err := say(w, "wrote "+path); err != nil {
			return exit.Failure(err)
		}
	}
	printed := slices.ContainsFunc(f.out, func(path string) bool { return encoding(&figure, path) != &figure.SVG })
	if figure.Lacking == "" || !printed {
		return nil
	}
	return exit.Failure(say(w, "PNG and PDF have a box for each of "+phrase.Safe(figure.Lacking)+", which their typeface lacks; an SVG shows them"))
}

// figure checks the names of files before it reads anything.
func (f *plotFlags) figure(ctx context.Context, dirs []string) (drawn draw.Figure, err error) {
	if f.Width, f.Height, err = paperSize(f.size); err != nil {
		return drawn, err
	}
	for _, path := range f.out {
		if encoding(&drawn, path) == nil {
			return drawn, fmt.Errorf("--out %s: want a name that ends in .svg, .png or .pdf", path)
		}
		if m := folder.Owner(path); m != nil {
			return drawn, fmt.Errorf("--out %s: that file belongs to %s, and is left alone; choose another name", path, m.About())
		}
		if err := room.Writable(filepath.Dir(path)); err != nil {
			return drawn, err
		}
	}
	return crew.Until(ctx, func() (draw.Figure, error) {
		var sheets []*plot.Sheet
		for i, name := range shortNames(dirs) {
			sheet, err := openSheet(ctx, dirs[i], name, f.unverified.trust())
			if err != nil {
				return drawn, err
			}
			sheets = append(sheets, sheet)
		}
		return f.Draw(sheets...)
	})
}

// encoding is the figure in the format of a file's ending; nil when there is no such format.
func encoding(f *draw.Figure, path string) *[]byte {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".svg":
		return &f.SVG
	case ".png":
		return &f.PNG
	case ".pdf":
		return &f.PDF
	}
	return nil
}

// openSheet reads the folder of a run or a sweep.
func openSheet(ctx context.Context, dir, name string, trust folder.Reading) (*plot.Sheet, error) {
	m, err := folder.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Kind == folder.KindSweep {
		r, err := folder.OpenSweep(ctx, dir, trust)
		if err != nil {
			return nil, err
		}
		return plot.SweepSheet(name, r), nil
	}
	r, err := folder.Open(ctx, dir, trust)
	if err != nil {
		return nil, err
	}
	return plot.RunSheet(name, r), nil
}

// shortNames are the last parts of paths, as many as it takes to tell the paths apart.
func shortNames(dirs []string) []string {
	for n := 1; ; n++ {
		names, seen, whole := make([]string, len(dirs)), map[string]bool{}, true
		for i, dir := range dirs {
			parts := strings.Split(filepath.ToSlash(filepath.Clean(dir)), "/")
			whole = whole && n >= len(parts)
			names[i] = strings.Join(parts[max(0, len(parts)-n):], "/")
			seen[names[i]] = true
		}
		if len(seen) == len(dirs) || whole {
			return names
		}
	}
}

// paperSize reads a width and a height and returns them in points; zeros for nothing.
func paperSize(text string) (width, height float64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	numbers, unit := text, 72/2.54
	for _, u := range []struct {
		name   string
		points float64
	}{{"cm", 72 / 2.54}, {"mm", 7.2 / 2.54}, {"in", 72}, {"pt", 1}} {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			numbers, unit = rest, u.points
		}
	}
	w, h, _ := strings.Cut(strings.ReplaceAll(numbers, "×", "x"), "x")
	width, bad := strconv.ParseFloat(w, 64)
	height, worse := strconv.ParseFloat(h, 64)
	width, height = width*unit, height*unit
	const least, greatest = 100, 3000 // points
	if errors.Join(bad, worse) != nil || !(min(width, height) >= least && max(width, height) <= greatest) {
		return 0, 0, fmt.Errorf("--size %s: want a width and a height from 3.6 to 105 cm, as in 8x5cm, 3.3x2in or 240x160pt", text)
	}
	return width, height, nil
}
