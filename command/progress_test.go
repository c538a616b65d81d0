package command

import (
	"testing"
	"time"

	"github.com/kedge-opt/kedge/lab"
)

// The rate counts from the first turn that was seen, and the words are as many as fit.
func TestPace(t *testing.T) {
	var l lab.Progress
	p, now := new(pace), time.Unix(1000, 0)
	if at := p.look(&l, now); at.words(80) != "finding the optimum" {
		t.Errorf("before the first turn: %s", at.words(80))
	}
	l.Total.Store(30_000)
	l.Done.Store(10_000)
	p.look(&l, now)
	l.Done.Store(15_000)
	at := p.look(&l, now.Add(10*time.Second))
	for width, want := range map[int]string{
		80: "15 000 of 30 000 turns, 500 a second, 30 s left",
		40: "15 000 of 30 000 turns, 30 s left",
		20: "30 s left",
		5:  "15 0…",
	} {
		if got := at.words(width); got != want {
			t.Errorf("in %d characters: %s, want %s", width, got, want)
		}
	}
}

// Before the first turn a run decides which turns there will be, if it draws for that, be it once; otherwise it looks for the optimum.
func TestWhatComesBeforeTheFirstTurn(t *testing.T) {
	for p, want := range map[progress]string{{}: "finding the optimum", {draws: 1}: "deciding: 0 of 1 draws", {drawn: 1, draws: 1}: "deciding: 1 of 1 draws"} {
		if got := p.words(80); got != want {
			t.Errorf("%+v: %s, want %s", p, got, want)
		}
	}
}

// Nothing is done to 100 % before its end, and 29 of 100 are 29 %, although 100·0.29 is less in binary digits.
func TestHundredPercentIsTheEnd(t *testing.T) {
	for _, c := range []struct{ done, total, want int }{{0, 0, 0}, {29, 100, 29}, {1, 3, 33}, {29_999, 30_000, 99}, {30_000, 30_000, 100}} {
		p := progress{done: int64(c.done), total: int64(c.total)}
		if got := percent(p.share()); got != c.want {
			t.Errorf("%d of %d are %d %%, want %d", c.done, c.total, got, c.want)
		}
	}
}
