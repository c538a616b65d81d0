package pages

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Pages show commands and what these print. Every block says what it is: console (commands behind "$ " and what they print), sh
// (commands alone), or a language that nobody runs. A comment above a block says what is special about it:
//
//	<!-- shown: lines 1-6 9 -->            of what is printed these lines; what is left out is "…"
//	<!-- shown: long -->                   only run with KEDGE_TORTURE=1; the commands say "# … seconds" or "# … minutes"
//	<!-- shown: exit 1 -->                 the exit code, with what went to the standard error
//	<!-- shown: not run, REASON -->        commands that no test can run
//	<!-- shown: file shop.yaml -->         what the commands below find under that name
//	<!-- shown: part of FILE -->           lines of a file of the repository
//	<!-- shown by: kedge run … -->         a command whose numbers the page states without showing it; "shown by, long:" as above
//	<!-- drawn: runs/shop/gap.svg -->      above a figure: the file of the page's commands that it is
//	<!-- photographed by TestName -->      above a picture of the screen: the test that takes it anew with KEDGE_UPDATE=1
//	<!-- numbers: 1.042 = 4/3 : 32/25 -->  numbers that no command prints, and where they come from
//
// KEDGE_UPDATE=1 writes anew what is printed and drawn, with KEDGE_TORTURE=1 all of it.
type guide struct {
	file  string // from the root of the repository
	lines []string
	parts []part
}

// part is a fenced block, a command in a comment, or a figure.
type part struct {
	open, end int // the lines of its fences, from 0; of a comment twice its own
	language  string
	mark      mark
	commands  []shown
	drawn     string // of a figure: what is to be in its file
	photo     bool   // of a figure: a test of its own takes it
	figure    string // the file, from the root of the repository
}

// mark is what the comment above a block says.
type mark struct {
	pick                [][2]int // lines of the output, from 1
	long                bool
	exit                int
	idle, file, excerpt string
}

// shown is a command of a block with the lines that stand below it.
type shown struct {
	line   int // of the page, from 0
	text   string
	output []string
}

// programLanguages are blocks that hold no commands.
var programLanguages = []string{"yaml", "json", "go", "text", "python", "r", "julia", "sql", "csv"}

// guides are the pages whose blocks are run; those that are written by a test of their own are not among them.
func guides(t *testing.T) (pages []*guide) {
	t.Helper()
	files := []string{"README.md", "docs/formula.md", "docs/data.md", "docs/population.md", "docs/production.md", "docs/service.md", "docs/fitting.md", "docs/fitting-shop.md", "docs/fitting-cigarettes.md"}
	for _, pattern := range []string{"docs/tutorial/*.md", "docs/formats/*.md"} {
		more, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(more) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(more), err)
		}
		for _, file := range more {
			files = append(files, filepath.ToSlash(strings.TrimPrefix(filepath.ToSlash(file), "../../")))
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		p, err := readGuide(file, string(text))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p)
	}
	return pages
}

var (
	commentForm = regexp.MustCompile(`^<!-- (shown|shown by|shown by, long): (.*) -->$`)
	drawnForm   = regexp.MustCompile(`^<!-- drawn: (\S+) -->$`)
	photoForm   = regexp.MustCompile(`^<!-- photographed by (Test\w+) -->$`)
	figureForm  = regexp.MustCompile(`^!\[[^\]]*\]\(([^)]*)\)$`)
)

// readGuide finds the blocks of a page.
func readGuide(file, text string) (*guide, error) {
	p := &guide{file: file, lines: strings.Split(text, "\n")}
	for i := 0; i < len(p.lines); i++ {
		if found := commentForm.FindStringSubmatch(p.lines[i]); found != nil && found[1] != "shown" {
			command := shown{line: i, text: found[2]}
			p.parts = append(p.parts, part{open: i, end: i, language: "hidden", mark: mark{long: found[1] != "shown by"}, commands: []shown{command}})
		}
		if found := figureForm.FindStringSubmatch(p.lines[i]); found != nil {
			b := part{open: i, end: i, language: "figure", figure: path.Join(path.Dir(file), found[1])}
			if i > 0 {
				if above := drawnForm.FindStringSubmatch(p.lines[i-1]); above != nil {
					b.drawn = above[1]
				}
				b.photo = photoForm.MatchString(p.lines[i-1])
			}
			p.parts = append(p.parts, b)
		}
		language, fenced := strings.CutPrefix(p.lines[i], "```")
		if !fenced {
			continue
		}
		end := i + 1 + slices.Index(p.lines[i+1:], "```")
		if end == i {
			return nil, fmt.Errorf("%s:%d: the block has no end", file, i+1)
		}
		b := part{open: i, end: end, language: language}
		if err := b.read(p); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		p.parts, i = append(p.parts, b), end
	}
	return p, nil
}

// read takes a block's mark and commands from its page.
func (b *part) read(p *guide) (err error) {
	if b.open > 0 {
		if found := commentForm.FindStringSubmatch(p.lines[b.open-1]); found != nil {
			if b.mark, err = readMark(found[2]); err != nil {
				return err
			}
		}
	}
	inside := p.lines[b.open+1 : b.end]
	switch {
	case b.language == "sh" || b.language == "console":
		return b.readCommands(inside)
	case slices.Contains(programLanguages, b.language):
		return nil
	}
	return fmt.Errorf("a block of %q; want console, sh or one of %s", b.language, strings.Join(programLanguages, ", "))
}

var pickForm = regexp.MustCompile(`^([0-9]+)(?:-([0-9]+))?$`)

// readMark reads what a comment says of a block.
func readMark(text string) (m mark, err error) {
	if reason, ok := strings.CutPrefix(text, "not run, "); ok {
		return mark{idle: reason}, nil
	}
	for item := range strings.SplitSeq(text, "; ") {
		word, rest, _ := strings.Cut(item, " ")
		switch {
		case item == "long":
			m.long = true
		case word == "exit":
			m.exit, err = strconv.Atoi(rest)
		case word == "file":
			m.file = rest
		case strings.HasPrefix(item, "part of "):
			m.excerpt = strings.TrimPrefix(item, "part of ")
		case word == "lines":
			m.pick, err = readPick(rest)
		default:
			return m, fmt.Errorf("nothing is known of the mark %q", item)
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// readPick reads ranges of lines such as 1-6 9.
func readPick(text string) (list [][2]int, err error) {
	for field := range strings.FieldsSeq(text) {
		found := pickForm.FindStringSubmatch(field)
		if found == nil {
			return nil, fmt.Errorf("%q is no range of lines, such as 1-6", field)
		}
		from, _ := strconv.Atoi(found[1])
		to := from
		if found[2] != "" {
			to, _ = strconv.Atoi(found[2])
		}
		list = append(list, [2]int{from, to})
	}
	return list, nil
}

// readCommands finds the commands of a block.
func (b *part) readCommands(lines []string) error {
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		text, prompted := strings.CutPrefix(line, "$ ")
		if b.language == "console" && !prompted {
			if len(b.commands) == 0 {
				return fmt.Errorf("a console begins with a command, behind \"$ \"; got %q", line)
			}
			last := &b.commands[len(b.commands)-1]
			last.output = append(last.output, line)
			continue
		}
		command := shown{line: b.open + 1 + i, text: text}
		for strings.HasSuffix(command.text, `\`) && i+1 < len(lines) {
			i++
			command.text = strings.TrimSuffix(command.text, `\`) + strings.TrimSpace(lines[i])
		}
		if strings.TrimSpace(text) != "" {
			b.commands = append(b.commands, command)
		}
	}
	return nil
}

// Commands hold no dash that nobody can type, and long ones say how long they take.
func TestCommandsOfPagesCanBeTyped(t *testing.T) {
	for _, p := range guides(t) {
		for _, b := range p.parts {
			for _, c := range b.commands {
				typed, comment, _ := strings.Cut(c.text, "  #")
				if at := strings.IndexFunc(typed, func(r rune) bool { return r >= 0x2010 && r <= 0x2015 || r == 0x2212 || r == 0xa0 }); at >= 0 {
					t.Errorf("%s:%d: nobody can type %q", p.file, c.line+1, typed[at:])
				}
				if b.mark.long && b.language != "hidden" && !buildForm.MatchString(c.text) && !strings.Contains(comment, "second") && !strings.Contains(comment, "minute") {
					t.Errorf("%s:%d: a long command says how long it takes: %q", p.file, c.line+1, c.text)
				}
			}
		}
	}
}

// Every figure of the documents is drawn by the commands of one page.
func TestFiguresOfPagesAreDrawn(t *testing.T) {
	files, err := filepath.Glob("../../docs/img/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	drawn := map[string]int{}
	for _, p := range guides(t) {
		for _, b := range p.parts {
			if b.figure != "" && b.drawn == "" && !b.photo {
				t.Errorf("%s:%d: nothing says what draws %s: <!-- drawn: … --> above it does", p.file, b.open+1, b.figure)
			}
			drawn[b.figure]++
		}
	}
	for _, file := range files {
		if name := strings.TrimPrefix(filepath.ToSlash(file), "../../"); drawn[name] != 1 {
			t.Errorf("%s is drawn on %d pages, want one", name, drawn[name])
		}
	}
}
