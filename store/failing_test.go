package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/kedge-opt/kedge/internal/disk"
	"modernc.org/sqlite"
)

// failing is what the package stands on, of which one call fails: the nth to the database or the disk. It passes all others on.
type failing struct {
	mu      sync.Mutex
	n       int    // calls until it fails
	met     string // the call that failed; "": none
	unsound bool   // rows come with values that nothing can take, instead of an error
	spares  func(call string) bool
	over    bool // nothing fails any more
}

var errPlanned = errors.New("a planned fault")

// call counts a call and tells whether it fails.
func (f *failing) call(what string) error {
	if behind() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.spares != nil && f.spares(what) || f.over || f.met != "" {
		return nil
	}
	if f.n--; f.n >= 0 {
		return nil
	}
	f.met = what
	return errPlanned
}

// statement counts a call where errors are planned, and not rows.
func (f *failing) statement(what string) error {
	if f.unsound {
		return nil
	}
	return f.call(what)
}

// stands has the package stand on it until the test ends.
func (f *failing) stands(t *testing.T) {
	d, g, hands := dial, ground, runtime.GOMAXPROCS(1) // so that loops are checked one by one, and the nth call is the same again
	t.Cleanup(func() {
		runtime.GOMAXPROCS(hands)
		dial, ground = d, g
	})
	dial = func(dsn string) (driver.Conn, error) {
		if err := f.statement("connect"); err != nil {
			return nil, err
		}
		c, err := (&sqlite.Driver{}).Open(dsn)
		if err != nil {
			return nil, err
		}
		return &failingConn{c, f}, nil
	}
	ground = func() disk.Disk {
		return disk.Disk{Before: func(s disk.Step) error { return f.statement(string(s.Call) + " of a file") }}
	}
}

// opened is a journal on it that was opened without a fault; the calls that count begin now and end with over.
func (f *failing) opened(t *testing.T, dir string) (s *SQLite, over func()) {
	t.Helper()
	n := f.n
	f.n = 1 << 30
	f.stands(t)
	s = opened(t, dir)
	set := func(n int, over bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.n, f.over = n, over
	}
	set(n, false)
	return s, func() { set(0, true) }
}

type failingConn struct {
	driver.Conn
	f *failing
}

func (c *failingConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if err := c.f.statement("begin"); err != nil {
		return nil, err
	}
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
	return failingTx{tx, c.f}, err
}

func (c *failingConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	if err := c.f.statement("prepare " + text); err != nil {
		return nil, err
	}
	s, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, text)
	return failingStmt{s, c.f, text}, err
}

func (c *failingConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.f.statement(text); err != nil {
		return nil, err
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, text, args)
}

func (c *failingConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.f.statement(text); err != nil {
		return nil, err
	}
	r, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, text, args)
	return &failingRows{Rows: r, f: c.f, text: text}, err
}

type failingTx struct {
	driver.Tx
	f *failing
}

func (x failingTx) Commit() error {
	if err := x.f.statement("commit"); err != nil {
		return errors.Join(err, x.Tx.Rollback())
	}
	return x.Tx.Commit()
}

type failingStmt struct {
	driver.Stmt
	f    *failing
	text string
}

func (s failingStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.f.statement(s.text); err != nil {
		return nil, err
	}
	r, err := s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	return failingResult{r, s.f, s.text}, err
}

type failingResult struct {
	driver.Result
	f    *failing
	text string
}

func (r failingResult) LastInsertId() (int64, error) {
	if err := r.f.statement("number of " + r.text); err != nil {
		return 0, err
	}
	return r.Result.LastInsertId()
}

// failingRows fail at the first row, at the second, or at the end.
type failingRows struct {
	driver.Rows
	f    *failing
	text string
	at   int
}

func (r *failingRows) Next(to []driver.Value) error {
	err := r.Rows.Next(to)
	if r.at++; r.at > 2 && err == nil || err != nil && err != io.EOF {
		return err
	}
	if r.f.unsound && err == nil {
		if r.f.call("row of "+r.text) != nil {
			for i := range to {
				to[i] = struct{}{} // which no variable takes
			}
		}
		return nil
	}
	if planned := r.f.statement("row of " + r.text); planned != nil {
		return planned
	}
	return err
}

// sweep does something again and again, each time with another call that fails, until none does. Each time the error must be told.
func sweep(t *testing.T, name string, spares func(call string) bool, do func(t *testing.T, f *failing) error) {
	t.Helper()
	for _, unsound := range []bool{false, true} {
		for n := 0; ; n++ {
			f := &failing{n: n, unsound: unsound, spares: spares}
			var err error
			t.Run("", func(t *testing.T) {
				err = do(t, f)
			})
			if t.Failed() {
				return
			}
			if f.met == "" {
				if err != nil {
					t.Errorf("%s, without a fault: %v", name, err)
				}
				if n < 1 {
					t.Errorf("%s: there is nothing that could fail", name)
				}
				break
			}
			if err == nil || !unsound && !strings.Contains(err.Error(), errPlanned.Error()) {
				t.Errorf("%s, where call %d fails (%s, unsound %v): %v", name, n, f.met, unsound, err)
			}
		}
	}
}

// sweepCall does something again and again, each time with another of the calls of one kind that fails, of which there are so many. Calls of other kinds, which
// come sooner or later where the machine is busy, are not counted.
func sweepCall(t *testing.T, name, call string, times int, do func(t *testing.T, f *failing) error) {
	t.Helper()
	for n := range times + 1 {
		f := &failing{n: n, spares: func(other string) bool { return other != call }}
		var err error
		t.Run("", func(t *testing.T) {
			err = do(t, f)
		})
		if fails := f.met != ""; fails != (n < times) || fails != errors.Is(err, errPlanned) || !fails && err != nil {
			t.Errorf("%s, where %s is to fail after %d of %d: it fails: %t, %v", name, call, n, times, fails, err)
		}
	}
}

// ofOpening tells calls that read settings back, which have a sweep of their own.
func ofOpening(call string) bool {
	name, isSetting := strings.CutPrefix(strings.TrimPrefix(call, "row of "), "PRAGMA ")
	return isSetting && name != "user_version" && !strings.Contains(name, "(") || strings.Contains(call, "sqlite_version") || strings.HasPrefix(call, "prepare ")
}

// behind tells whether it is called by what goes on behind the commits, whose faults take time or leave files behind, and lose nothing. Connections that are
// opened for whoever has waited for one longest, which only a busy machine comes by, may be theirs.
func behind() bool {
	callers := make([]uintptr, 64)
	for frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)]); ; {
		frame, more := frames.Next()
		for _, name := range []string{".(*SQLite).draw", ".(*SQLite).tidy", "database/sql.(*DB).openNewConnection"} {
			if strings.HasSuffix(frame.Function, name) {
				return true
			}
		}
		if !more {
			return false
		}
	}
}
