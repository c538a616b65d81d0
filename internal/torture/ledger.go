package torture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ledger has the fates of a run, written as it goes, so that one that was interrupted goes on.
type ledger struct {
	path string
	file *os.File
	done map[string]Fate // of this tier and tree, from a run that did not end
}

// head is the first line of a ledger: fates of another tier or tree are not this run's.
type head struct {
	Tier Tier   `json:"tier"`
	Tree string `json:"tree"`
	Only string `json:"only,omitempty"`
}

// openLedger opens the ledger of a tier, and begins it anew where it is about something else or nobody wants to go on.
func openLedger(path string, h head, fresh bool) (*ledger, error) {
	l := &ledger{path: path, done: map[string]Fate{}}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	var old head
	mode := os.O_TRUNC
	if lines.Scan() && json.Unmarshal(lines.Bytes(), &old) == nil && old == h && !fresh {
		mode = os.O_APPEND
		for lines.Scan() {
			var f Fate
			if json.Unmarshal(lines.Bytes(), &f) == nil && f.ID != "" { // the last line may have been cut
				l.done[f.ID] = f
			}
		}
	}
	if l.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o644); err != nil {
		return nil, err
	}
	if mode == os.O_TRUNC {
		return l, l.add(h)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		_, err = l.file.WriteString("\n")
	}
	return l, err
}

func (l *ledger) add(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(text, '\n'))
	return err
}

// end closes the ledger. That of a run which came to its end is put aside, so that the next begins anew.
func (l *ledger) end(whole bool) error {
	err := l.file.Close()
	if whole && err == nil {
		err = os.Rename(l.path, l.path[:len(l.path)-len(filepath.Ext(l.path))]+"-last"+filepath.Ext(l.path))
	}
	if err != nil {
		return fmt.Errorf("the results of this run: %w", err)
	}
	return nil
}
