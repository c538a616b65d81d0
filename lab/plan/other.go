package plan

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Other says in what the finished result of a folder is another than the one that is asked for, "" if it is the same.
type Other func(m *folder.Manifest) (string, error)

// Spare refuses a folder that holds a finished result of something else, or that cannot hold one of the kind.
func Spare(k folder.Kind, dir string, other Other) error {
	m, err := k.Look(dir)
	if err != nil || m == nil {
		return err
	}
	how, err := other(m)
	if err != nil {
		how = "it cannot be compared: " + err.Error()
	}
	if how == "" {
		return nil
	}
	return &folder.HeldError{Dir: dir, Holds: m.About(), Differs: how}
}

// OtherRun compares the run in a folder with a spec and, where they are known, its inputs.
func OtherRun(ctx context.Context, dir, spec string, inputs map[string]string) Other {
	return func(m *folder.Manifest) (string, error) {
		text, err := folder.Decode(ctx, dir, m.Spec, folder.Unverified, io.ReadAll)
		if err != nil || string(text) != spec {
			return otherLine(string(text), spec), err
		}
		for _, name := range slices.Sorted(maps.Keys(inputs)) {
			if was, ok := m.Inputs[name]; ok && was != inputs[name] {
				return fmt.Sprintf("%s held other bytes then", name), nil
			}
		}
		return "", nil
	}
}

// otherLine says where two specs begin to differ.
func otherLine(was, is string) string {
	before, now := strings.Split(strings.TrimSuffix(was, "\n"), "\n"), strings.Split(strings.TrimSuffix(is, "\n"), "\n")
	for i := range max(len(before), len(now)) {
		switch {
		case i >= len(before):
			return fmt.Sprintf("its spec has no %q", strings.TrimSpace(now[i]))
		case i >= len(now):
			return fmt.Sprintf("its spec has %q as well", strings.TrimSpace(before[i]))
		case before[i] != now[i]:
			return fmt.Sprintf("its spec says %q, this one %q", strings.TrimSpace(before[i]), strings.TrimSpace(now[i]))
		}
	}
	return ""
}

// OtherStudy compares the study in a folder with the one that is asked for.
func OtherStudy(ctx context.Context, dir string, s study.Study, o study.Options) Other {
	return func(*folder.Manifest) (string, error) {
		old, err := folder.Decode(ctx, dir, folder.StudyFile, folder.Unverified, study.Decode)
		switch trials := s.Size(o); {
		case err != nil:
			return "", err
		case old.Name != s.Name:
			return "this is another study", nil
		case old.Seed != o.Seed:
			return fmt.Sprintf("this one has seed %d", o.Seed), nil
		case old.Quick && !o.Quick:
			return "it was a quick one, this one is not", nil
		case o.Quick && !old.Quick:
			return "it was not a quick one, this one is", nil
		case old.Trials != trials:
			return fmt.Sprintf("it had %s a point, this one %d", phrase.Count(old.Trials, "trial"), trials), nil
		}
		return "", nil
	}
}

// OtherComparison compares the comparison in a folder with the one that is asked for.
func OtherComparison(ctx context.Context, dir string, p *compare.Fixture, kinds *kind.Catalogue) Other {
	return func(*folder.Manifest) (string, error) {
		old, err := folder.Decode(ctx, dir, folder.CompareFile, folder.Unverified, func(r io.Reader) (*compare.Comparison, error) { return compare.Decode(kinds, r) })
		if err != nil {
			return "", err
		}
		return p.Other(old), nil
	}
}
