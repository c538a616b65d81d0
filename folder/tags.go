package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/intake"
)

// tagsFile holds the tags of a folder. No manifest lists it, so that a sealed folder can be given tags; it has its own checksum.
const tagsFile = "tags.json"

const (
	mostTags    = 64      // of a folder
	longestTag  = 64      // letters
	largestTags = 1 << 20 // bytes of the file
)

// tagged is what tags.json says; docs/formats/manifest.md describes it.
type tagged struct {
	Tags []string `json:"tags"`
}

// isTag tells whether a folder can have this tag: a word that needs no quotes in a shell and is no flag.
func isTag(s string) bool {
	for i, r := range s {
		if word := unicode.IsLetter(r) || unicode.IsNumber(r); !word && (i == 0 || !strings.ContainsRune("._:+=@-", r)) {
			return false
		}
	}
	n := utf8.RuneCountInString(s)
	return 0 < n && n <= longestTag
}

// CheckTags wants tags that a folder can have.
func CheckTags(tags []string) error {
	for _, tag := range tags {
		if !isTag(tag) {
			return fmt.Errorf("%q is no tag: want 1 to 64 letters, digits and . _ : + = @ -, of which the first is a letter or a digit", tag)
		}
	}
	if len(tags) > mostTags {
		return fmt.Errorf("%d tags, a folder has at most %d", len(tags), mostTags)
	}
	return nil
}

// Retag adds tags to a finished folder, takes others away and returns those that it has then, sorted.
func Retag(dir string, add, remove []string) ([]string, error) {
	if err := CheckTags(append(slices.Clone(add), remove...)); err != nil {
		return nil, err
	}
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	place, err := m.Kind.Take(dir)
	if err != nil {
		return nil, err
	}
	defer place.Release()
	return place.Tag(add, remove)
}

// Tag adds tags to the folder, takes others away and returns those that it has then, sorted. They are the folder's: a result that takes the
// place of another keeps them.
func (c *Taken) Tag(add, remove []string) ([]string, error) {
	had, err := readTags(c.dir)
	if err != nil {
		return nil, err
	}
	tags := slices.DeleteFunc(append(slices.Clone(had), add...), func(tag string) bool { return slices.Contains(remove, tag) })
	slices.Sort(tags)
	tags = slices.Compact(tags)
	if err := CheckTags(tags); err != nil {
		return nil, err
	}
	if slices.Equal(tags, had) {
		return tags, nil
	}
	if len(tags) == 0 {
		return tags, errors.Join(c.dir.Remove(tagsFile), c.dir.Sync("."))
	}
	return tags, errors.Join(c.dir.Replace(tagsFile, asSummed(tagged{tags})), c.dir.Sync("."))
}

// Tags are those of the folder, sorted.
func (s *Sealed) Tags() ([]string, error) { return readTags(s.dir) }

func readTags(dir *disk.Dir) ([]string, error) {
	text, err := readAll(dir, tagsFile, largestTags)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []string{}, nil
	case err != nil:
		return nil, err
	}
	tags, err := parseTags(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: remove the file and tag the folder again", dir.Path(tagsFile), err)
	}
	return tags, nil
}

func parseTags(text []byte) ([]string, error) {
	bare, ok := checkSum(text)
	if !ok {
		return nil, ErrChanged
	}
	var t tagged
	if err := intake.Decode(bare, &t); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if !slices.IsSorted(t.Tags) {
		return nil, fmt.Errorf("%w: its tags are not sorted", ErrChanged)
	}
	return t.Tags, CheckTags(t.Tags)
}

// isTags tells whether a name is that of the tags of a folder, or of those that are being written.
func isTags(name string) bool { return name == tagsFile || name == disk.Draft(tagsFile) }
