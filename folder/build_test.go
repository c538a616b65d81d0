package folder

import (
	"runtime/debug"
	"testing"
)

// A revision tells which code it was only if nothing else has a say.
func TestRevisionsTellOnlyWhatTheyHold(t *testing.T) {
	clean := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}, {Key: "GOAMD64", Value: "v1"}}
	with := func(more ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: append(append([]debug.BuildSetting{}, clean...), more...)}
	}
	module := func(replace *debug.Module) *debug.BuildInfo {
		info := with()
		info.Deps = []*debug.Module{{Path: "x", Version: "v1", Replace: replace}}
		return info
	}
	for name, one := range map[string]struct {
		info  *debug.BuildInfo
		isAll bool
	}{
		"clean":                   {with(), true},
		"nothing known":           {nil, false},
		"no revision":             {&debug.BuildInfo{}, false},
		"changed":                 {with(debug.BuildSetting{Key: "vcs.modified", Value: "true"}), false},
		"tags":                    {with(debug.BuildSetting{Key: "-tags", Value: "noasm"}), false},
		"flags of the linker":     {with(debug.BuildSetting{Key: "-ldflags", Value: "-X a.b=c"}), false},
		"flags of the compiler":   {with(debug.BuildSetting{Key: "-gcflags", Value: "-d=fmahash=vn"}), false},
		"a module":                {module(nil), true},
		"a module of another one": {module(&debug.Module{Path: "y", Version: "v2"}), true},
		"a module in a folder":    {module(&debug.Module{Path: "../y"}), false},
	} {
		if c, isAll := codeOf(one.info); isAll != one.isAll || one.isAll && c.Revision != "abc" {
			t.Errorf("%s: %+v is all: %v", name, c, isAll)
		}
	}
}
