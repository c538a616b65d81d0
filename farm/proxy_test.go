package farm

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxy is a network between a queue and those who use it that loses, repeats and reorders messages, and cuts lines. It knows as much of the protocol of NATS
// as it takes to see where a message ends; whatever else is said goes through.
type proxy struct {
	net.Listener
	to     string
	mu     sync.Mutex
	random *rand.Rand
	seen   map[string]int // what was done to how many messages
}

// Of a thousand messages.
const (
	dropped  = 50
	repeated = 100
	delayed  = 100
	cut      = 1
)

func newProxy(t testing.TB, to string, seed uint64) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to, random: rand.New(rand.NewPCG(seed, 1)), seen: map[string]int{}}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.join(c)
		}
	}()
	return p
}

// join carries what two sides of a line say.
func (p *proxy) join(c net.Conn) {
	defer c.Close()
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer s.Close()
	both := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{c, s}, {s, c}} {
		go func() {
			p.carry(way[0], way[1])
			both <- struct{}{}
		}()
	}
	<-both
}

// fate is what becomes of a message.
func (p *proxy) fate() (what string, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what = "whole"
	switch n := p.random.IntN(1000); {
	case n < cut:
		what = "cut"
	case n < cut+dropped:
		what = "dropped"
	case n < cut+dropped+repeated:
		what = "repeated"
	case n < cut+dropped+repeated+delayed:
		what = "delayed"
	}
	p.seen[what]++
	return what, time.Duration(p.random.IntN(20_000)) * time.Microsecond
}

func (p *proxy) carry(from, to net.Conn) {
	r := bufio.NewReaderSize(from, 1<<16)
	var mu sync.Mutex
	write := func(text []byte) error {
		mu.Lock()
		defer mu.Unlock()
		_, err := to.Write(text)
		return err
	}
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		words := strings.Fields(string(line))
		if len(words) == 0 || !slices.Contains([]string{"PUB", "HPUB", "MSG", "HMSG"}, strings.ToUpper(words[0])) {
			if write(line) != nil {
				return
			}
			continue
		}
		size, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			return
		}
		whole := append(line, make([]byte, size+2)...)
		if _, err := io.ReadFull(r, whole[len(line):]); err != nil {
			return
		}
		what, after := p.fate()
		switch what {
		case "cut":
			return
		case "dropped":
			continue
		case "repeated":
			err = write(whole)
		case "delayed":
			time.AfterFunc(after, func() { write(whole) })
			continue
		}
		if err != nil || write(whole) != nil {
			return
		}
	}
}
