package columns_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// crafted is a file by hand: a column x of doubles in pages of row groups.
type crafted struct {
	optional     bool
	codec        int64
	total        int64 // rows that the file says it has
	groups       []group
	physical     int64
	outside, cut int64 // moves where a column lies, and how long it is
}

// group is a row group: rows and values that it says it has, and pages.
type group struct {
	rows, values int64
	pages        []string
}

// num is a field so much further, of 32 bits.
func num(further byte, v int64) string { return string(binary.AppendVarint([]byte{further<<4 | 5}, v)) }

// first is a page of version 1, with something after its header's fields.
func first(values, unpacked int64, body, more string) string {
	return "\x15\x00" + num(1, unpacked) + num(1, int64(len(body))) + "\x2c" + num(1, values) + num(1, 0) + num(1, 3) + num(1, 3) + "\x00" + more + "\x00" + body
}

// second is a page of version 2.
func second(values, levels, repeats, unpacked int64, body string, packed bool) string {
	truth := map[bool]string{true: "\x11", false: "\x12"}[packed]
	return "\x15\x06" + num(1, unpacked) + num(1, int64(len(body))) + "\x5c" + num(1, values) + num(1, 0) + num(1, values) + num(1, 0) + num(1, levels) + num(1, repeats) + truth + "\x00" + "\x00" + body
}

// words is a dictionary.
func words(values, encoding int64, body string) string {
	return "\x15\x04" + num(1, int64(len(body))) + num(1, int64(len(body))) + "\x4c" + num(1, values) + num(1, encoding) + "\x00\x00" + body
}

func (c crafted) file() []byte {
	body, groups := "PAR1", ""
	for _, g := range c.groups {
		at, all := int64(len(body)), strings.Join(g.pages, "")
		body += all
		chunk := "\x3c" + num(4, c.codec) + num(1, g.values) + num(2, int64(len(all))+c.cut) + num(2, at+c.outside) + "\x00\x00"
		groups += "\x19\x1c" + chunk + num(2, g.rows) + "\x00"
	}
	repetition := map[bool]int64{true: 1}[c.optional]
	if c.physical == 0 {
		c.physical = 5
	}
	schema := "\x29\x2c\x48\x01r\x15\x02\x00" + num(1, c.physical) + num(2, repetition) + "\x18\x01x\x00"
	metadata := schema + num(1, c.total) + "\x19" + string([]byte{byte(len(c.groups))<<4 | 0xc}) + groups + "\x00"
	return append([]byte(body), ending(metadata)[4:]...)
}

// double is a number as files have it.
func double(v float64) string {
	return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
}

// Files by hand are read, or refused in words, as when this was recorded: every case says what is odd about it.
func TestCraftedFilesAsRecorded(t *testing.T) {
	one, two, level := double(1), double(2), "\x02\x00\x00\x00\x02\x01"
	sound := group{1, 1, []string{first(1, 8, one, "")}}
	var got []string
	see := func(what string, c crafted) {
		table, err := read(c.file())
		said := ""
		for _, c := range table.Columns {
			said += fmt.Sprint(c.Text, c.Numbers)
		}
		got = append(got, fmt.Sprintf("%s: %s %v", what, said, err))
	}
	see("two groups", crafted{total: 2, groups: []group{sound, {1, 1, []string{first(1, 8, two, "")}}}})
	see("two pages", crafted{total: 2, groups: []group{{2, 2, []string{first(1, 8, one, ""), first(1, 8, two, "")}}}})
	see("more rows than said", crafted{total: 1, groups: []group{sound, sound}})
	see("fewer rows than said", crafted{total: 3, groups: []group{sound, sound}})
	see("no rows", crafted{total: 0})
	see("less than no rows", crafted{total: -1})
	see("a group with less than no rows", crafted{total: 1, groups: []group{{-1, -1, nil}, sound, sound}})
	see("a group with other values", crafted{total: 1, groups: []group{{1, 2, sound.pages}}})
	see("a page with more values", crafted{total: 1, groups: []group{{1, 1, []string{first(2, 8, one, "")}}}})
	see("a page with less than no values", crafted{total: 1, groups: []group{{1, 1, []string{first(-1, 8, one, ""), first(1, 8, one, ""), first(1, 8, one, "")}}}})
	see("a page too many", crafted{total: 1, groups: []group{{1, 1, []string{first(1, 8, one, ""), first(1, 8, two, "")}}}})
	see("a page too few", crafted{total: 2, groups: []group{{2, 2, []string{first(1, 8, one, "")}}}})
	see("outside", crafted{total: 1, groups: []group{sound}, outside: 1 << 20})
	see("in the magic", crafted{total: 1, groups: []group{sound}, outside: -1})
	see("longer than the file", crafted{total: 1, groups: []group{sound}, cut: 1 << 20})
	see("shorter than nothing", crafted{total: 1, groups: []group{sound}, cut: -1 << 20})
	see("without its last byte", crafted{total: 1, groups: []group{sound}, cut: -1})
	for _, n := range []int{400, 600, 65_000, 66_000} {
		more := string(binary.AppendUvarint([]byte("\x38"), uint64(n))) + strings.Repeat("z", n)
		see(fmt.Sprint("a header with ", n, " bytes more"), crafted{total: 1, groups: []group{{1, 1, []string{first(1, 8, one, more)}}}})
	}
	for n := range 7 {
		see(fmt.Sprint("levels cut to ", n), crafted{optional: true, total: 1, groups: []group{{1, 1, []string{first(1, int64(n), level[:n], "")}}}})
	}
	see("levels", crafted{optional: true, total: 1, groups: []group{{1, 1, []string{first(1, 14, level+one, "")}}}})
	see("a level of none", crafted{optional: true, total: 1, groups: []group{{1, 1, []string{first(1, 6, "\x02\x00\x00\x00\x02\x00", "")}}}})
	see("levels beyond", crafted{optional: true, total: 1, groups: []group{{1, 1, []string{first(1, 14, "\x0b"+level[1:]+one, "")}}}})
	for _, optional := range []bool{false, true} {
		for _, levels := range []int64{-1, 0, 2, 10, 11} {
			see(fmt.Sprint("version 2, optional ", optional, ", bytes of levels ", levels), crafted{optional: optional, total: 1, groups: []group{{1, 1, []string{second(1, levels, 0, 10, level[4:]+one, true)}}}})
		}
	}
	see("repetitions", crafted{total: 1, groups: []group{{1, 1, []string{second(1, 0, 1, 8, one, true)}}}})
	see("packed by nothing", crafted{codec: 1, total: 1, groups: []group{{1, 1, []string{second(1, 0, 0, 8, one, false)}}}})
	see("packed by nothing, says more", crafted{codec: 1, total: 1, groups: []group{{1, 1, []string{second(1, 0, 0, 9, one, false)}}}})
	see("packed by nothing, says less", crafted{codec: 1, total: 1, groups: []group{{1, 1, []string{second(1, 0, 0, 7, one, false)}}}})
	see("Snappy", crafted{codec: 1, total: 1, groups: []group{{1, 1, []string{first(1, 8, "\x08\x1c"+one, "")}}}})
	see("Snappy that says less", crafted{codec: 1, total: 1, groups: []group{{1, 1, []string{first(1, 8, "\x07\x1c"+one, "")}}}})
	see("nothing of Snappy", crafted{codec: 1, total: 1, groups: []group{{1, 1, []string{first(1, 8, "", "")}}}})
	see("codec 3", crafted{codec: 3, total: 1, groups: []group{{1, 1, []string{first(1, 8, one, "")}}}})
	refer := func(encoding int64, body string) string {
		return strings.Replace(first(2, int64(len(body)), body, ""), num(1, 2)+num(1, 0), num(1, 2)+num(1, encoding), 1)
	}
	for _, encoding := range []int64{0, 2, 8, 9, 5} {
		dictionary := words(2, 0, one+two)
		see(fmt.Sprint("encoding ", encoding), crafted{total: 2, groups: []group{{2, 2, []string{dictionary, refer(encoding, "\x01\x03\x01")}}}})
		see(fmt.Sprint("16 bytes of encoding ", encoding), crafted{total: 2, groups: []group{{2, 2, []string{refer(encoding, one+two)}}}})
	}
	for what, dictionary := range []string{words(2, 2, one+two), words(2, 1, one+two), words(3, 0, one+two), words(1, 0, one), words(2, 0, one+two) + words(2, 0, one+two)} {
		see(fmt.Sprint("dictionary ", what), crafted{total: 2, groups: []group{{2, 2, []string{dictionary, refer(8, "\x01\x03\x01")}}}})
	}
	for what, dictionary := range []string{words(2, 0, "\x01\x00\x00\x00a\x02\x00\x00\x00bc"), words(2, 0, "\x01\x00\x00\x00a\x03\x00\x00\x00bc"), words(3, 0, "\x01\x00\x00\x00a\x02\x00\x00\x00bc"), words(2, 0, "\x00\x00\x00\x00\x00\x00\x00\x00")} {
		see(fmt.Sprint("dictionary of texts ", what), crafted{physical: 6, total: 2, groups: []group{{2, 2, []string{dictionary, refer(8, "\x01\x03\x01")}}}})
	}
	evidence.AsRecorded(t, "testdata/crafted.txt", got)
}

// A page and its dictionary may have 8 MiB together in a small file, with the places of the texts: who says that they take more is refused before anything is unpacked.
func TestPagesAndDictionariesTogether(t *testing.T) {
	const most = 8 << 20
	for _, c := range []struct{ physical, page, words, values, both int64 }{
		{5, most / 2, most / 2, 1, 0}, {5, most / 2, most/2 + 1, 1, most + 1}, {5, most, 1, 1, most + 1}, {5, 1, most, 1, most + 1},
		{6, most / 2, most / 4, most / 16, 0}, {6, most / 2, most / 4, most / 8, 0}, {6, most / 2, most/4 + 4, most / 8, most + 8}, {6, most / 2, most / 2, 1, most + 4}, {6, most / 2, most / 2, most / 8, most + most/2},
	} {
		dictionary := strings.Replace(words(c.values, 0, "few"), num(1, 3), num(1, c.words), 1)
		f := crafted{codec: 1, physical: c.physical, total: 1, groups: []group{{1, 1, []string{dictionary, first(1, c.page, "few", "")}}}}
		_, err := read(f.file())
		refused := fmt.Sprintf("page and dictionary of %d bytes, at most %d are unpacked", c.both, most)
		if err == nil || strings.Contains(err.Error(), "page and dictionary") != (c.both > 0) || c.both > 0 && !strings.Contains(err.Error(), refused) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The separator is that of the first line; a quote keeps a line going.
func TestSeparator(t *testing.T) {
	for begin, want := range map[string]rune{"": ',', "a": ',', "a,b\n1;2;3;4\n": ',', "a;b\n1,2,3\n": ';', "\"a\n;;;\",b": ',', "a;b,c": ',', "a;b;c,d": ';', "a\tb": '\t', "a\tb;c;d": ';', "a;b\tc": ';'} {
		if got := columns.Separator([]byte(begin)); got != want {
			t.Errorf("%q is separated by %q, want %q", begin, got, want)
		}
	}
}

// A batch without rows need not say what its columns hold; those of files have names in any order.
func TestBatchesWithoutRows(t *testing.T) {
	w := columns.NewWriter(io.Discard, columns.Field{Name: "z", Kind: columns.Text}, columns.Field{Name: "a"})
	if err := w.Write(columns.Table{Columns: []columns.Column{{Name: "z"}, {Name: "a"}}}); err != nil {
		t.Error(err)
	}
	table := columns.Table{Columns: []columns.Column{{Name: "z", Numbers: []float64{1}}, {Name: "a", Text: []string{"x"}}, {Name: "m", Numbers: []float64{2}}}}
	if got, err := read(encoded(t, table)); err != nil || !same(got, table) {
		t.Errorf("%v, %v", got, err)
	}
}
