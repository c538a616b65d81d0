package folder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/disk/disktest"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// damages are what can happen to a file of a folder.
var damages = []struct {
	name string
	do   func(path string) error
}{
	{"nothing", func(string) error { return nil }},
	{"removed", os.RemoveAll},
	{"cut", func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	}},
	{"changed", func(path string) error {
		text, err := os.ReadFile(path)
		if err == nil {
			text[2] ^= 1
			err = os.WriteFile(path, text, 0o644)
		}
		return err
	}},
	{"a folder", func(path string) error {
		return errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "mine"), 0o755))
	}},
}

// asked is what everybody who uses a folder is told.
func asked(dir string) (said []string) {
	ctx := context.Background()
	tell := func(who string, what any, err error) {
		if err != nil {
			what = err
		}
		said = append(said, fmt.Sprintf("%s: %v", who, what))
	}
	for _, trust := range []folder.Reading{folder.Verified, folder.Unverified} {
		r, err := folder.Open(ctx, dir, trust)
		if err == nil {
			tell("open", fmt.Sprint(r.Case, r.Seed, len(r.Runs), len(r.Runs[0].Trials), r.Runs[0].Trials[0].Decision), nil)
		} else {
			tell("open", "", err)
		}
		s, err := folder.OpenSweep(ctx, dir, trust)
		if err == nil {
			tell("open sweep", fmt.Sprint(s.Name, s.Keys, len(s.Cells), s.Failed()), nil)
		} else {
			tell("open sweep", "", err)
		}
	}
	all, err := folder.Verify(ctx, dir)
	problems := ""
	if err == nil {
		for _, c := range all.Files {
			if c.Problem+c.Note != "" {
				problems += c.File + ": " + c.Problem + c.Note + ", "
			}
		}
		problems += fmt.Sprint(all.Strange)
	}
	tell("verify", problems, err)
	for _, verify := range []bool{false, true} {
		l, err := folder.List(ctx, verify, dir)
		listed := ""
		if err == nil {
			for _, one := range l.Folders {
				listed += fmt.Sprint(one.Kind, one.Case, one.Seed, one.Turns, one.Partial, one.Best, one.Tags, one.State, strings.Join(one.Problems, ", "))
			}
			listed += fmt.Sprint(l.Skipped)
		}
		tell("list", listed, err)
	}
	for _, kind := range []folder.Kind{folder.KindRun, folder.KindSweep, folder.KindCompare, folder.KindStudy} {
		m, err := kind.Look(dir)
		about := ""
		if err == nil && m != nil {
			about = m.About()
		}
		tell("look for a "+string(kind), about, err)
	}
	f, err := folder.LookIntoSweepFolder(ctx, dir, planned("ab"), false)
	finished := ""
	if err == nil {
		for _, id := range []string{"a", "b"} {
			finished += fmt.Sprint(id, f.Finished(id))
		}
		if err := f.Spares(); err != nil {
			finished += err.Error()
		}
	}
	tell("cells", finished, err)
	text, err := folder.CommonSweep([]string{dir}, 1<<20)
	tell("common", string(text), err)
	tags, err := folder.Retag(dir, []string{"new"}, nil)
	tell("tag", tags, err)
	return said
}

var counted = regexp.MustCompile(`[0-9]+ bytes|written were [0-9]+`)

// Whatever happens to any one file of a run and of a sweep, everybody who uses the folder is told what they were told when this was recorded.
func TestDamagedFoldersAsRecorded(t *testing.T) {
	run := filepath.Join(t.TempDir(), "out")
	if err := saveOn(disk.Disk{}, run, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Retag(run, []string{"old"}, nil); err != nil {
		t.Fatal(err)
	}
	sweep := partOf(t, map[string]*folder.Result{"a": small()}, map[string]string{"b": "it failed"})
	var got []string
	for _, from := range []string{run, sweep} {
		whole, err := disktest.Read(from)
		if err != nil {
			t.Fatal(err)
		}
		var sound []string
		for name := range whole {
			if strings.HasSuffix(name, "/") || strings.HasPrefix(name, ".kedge") {
				delete(whole, name)
			}
		}
		names := []string{"manifest.json"}
		for name := range whole {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			for _, damage := range damages {
				if damage.name == "nothing" && sound != nil {
					continue
				}
				dir := filepath.Join(t.TempDir(), "out")
				if err := errors.Join(whole.Write(dir), damage.do(filepath.Join(dir, filepath.FromSlash(name)))); err != nil {
					t.Fatal(err)
				}
				said := asked(dir)
				for i, one := range said {
					one = counted.ReplaceAllString(strings.NewReplacer(dir, "DIR", "\n", " + ").Replace(one), "# bytes")
					if said[i] = one; sound == nil || one != sound[i] {
						got = append(got, fmt.Sprintf("%s %s: %s", name, damage.name, one))
					}
				}
				if sound == nil {
					sound = said
				}
			}
		}
	}
	evidence.AsRecorded(t, "testdata/damaged.txt", got)
}

// steps are those that something takes below a folder; of removals that follow each other the order does not matter.
func steps(t *testing.T, root string, do func(d disk.Disk) error) (list []string) {
	t.Helper()
	first := 0
	err := do(disk.Disk{Before: func(s disk.Step) error {
		line := strings.TrimSpace(strings.ReplaceAll(fmt.Sprint(s.Call, " ", s.Path, " ", s.To), root, ""))
		if s.Call != disk.Remove {
			slices.Sort(list[first:])
			first = len(list) + 1
		}
		list = append(list, line)
		return nil
	}})
	slices.Sort(list[min(first, len(list)):])
	if err != nil {
		list = append(list, strings.ReplaceAll(err.Error(), root, ""))
	}
	return list
}

// What is written is written in the steps of when this was recorded; what each is needed for, tests of stops say.
func TestStepsOfFoldersAsRecorded(t *testing.T) {
	root := t.TempDir()
	run, sweep := filepath.Join(root, "run"), filepath.Join(root, "sweep")
	on := func(kind folder.Kind, dir string, do func(c *folder.Taken) error) func(d disk.Disk) error {
		return func(d disk.Disk) error {
			c, err := kind.TakeOn(d, dir)
			if err != nil {
				return err
			}
			defer c.Release()
			return do(c)
		}
	}
	part := partOf(t, map[string]*folder.Result{"a": small(), "b": small()}, nil)
	var got []string
	for _, one := range []struct {
		name string
		do   func(d disk.Disk) error
	}{
		{"a run", func(d disk.Disk) error { return saveOn(d, run, 1) }},
		{"a run again", func(d disk.Disk) error { return saveOn(d, run, 2) }},
		{"a page", on(folder.KindRun, run, func(c *folder.Taken) error { return c.Renew(map[string][]byte{"report.html": []byte("new")}) })},
		{"a tag", on(folder.KindRun, run, func(c *folder.Taken) error { _, err := c.Tag([]string{"x"}, nil); return err })},
		{"the same tag", on(folder.KindRun, run, func(c *folder.Taken) error { _, err := c.Tag([]string{"x"}, nil); return err })},
		{"no tag", on(folder.KindRun, run, func(c *folder.Taken) error { _, err := c.Tag(nil, []string{"x"}); return err })},
		{"nothing", on(folder.KindRun, filepath.Join(root, "a", "b"), func(*folder.Taken) error { return nil })},
		{"a sweep", func(d disk.Disk) error { _, err := sweepOn(d, sweep, "ab", false); return err }},
		{"the same sweep", func(d disk.Disk) error { _, err := sweepOn(d, sweep, "ab", false); return err }},
		{"a sweep with other cells", func(d disk.Disk) error { _, err := sweepOn(d, sweep, "bc", false); return err }},
		{"a sweep without some", func(d disk.Disk) error { _, err := sweepOn(d, sweep, "b", true); return err }},
		{"a sweep of other specs", func(d disk.Disk) error { _, err := sweepOn(d, sweep, "bc/other", false); return err }},
		{"a merge", on(folder.KindSweep, filepath.Join(root, "merged"), func(c *folder.Taken) error {
			_, err := folder.Merge(context.Background(), c, []string{part}, planned("ab"), nil)
			return err
		})},
		{"a file", func(d disk.Disk) error {
			return d.WriteFile(filepath.Join(root, "file"), folder.AsJSON(map[string]int{"a": 1}))
		}},
	} {
		for i, line := range steps(t, root, one.do) {
			got = append(got, fmt.Sprint(one.name, " ", i, ": ", line))
		}
	}
	evidence.AsRecorded(t, "testdata/steps.txt", got)
}
