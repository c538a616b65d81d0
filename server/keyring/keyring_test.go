package keyring

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// add gives a ring a key, and returns it with the event.
func add(t *testing.T, r *Ring, g Grant) (key string, body []byte) {
	t.Helper()
	key, c, err := r.Draw(g)
	if err != nil {
		t.Fatal(err)
	}
	body, err = json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Fold(KeyCreated, noon, "test", body); err != nil {
		t.Fatal(err)
	}
	return key, body
}

func TestKeysAreKnownUntilTheyAreRevoked(t *testing.T) {
	r := New()
	if !r.Empty() {
		t.Error("a new ring has keys")
	}
	later := noon.Add(time.Hour)
	key, body := add(t, r, Grant{Rights: []Right{Ask}, Loops: []string{"shop"}, Expires: &later})
	other, _ := add(t, r, Grant{Rights: []Right{Read}, Loops: []string{"*"}})
	if random, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimPrefix(key, "kedge_")); err != nil || len(random) != 32 || !IsKey(key) {
		t.Errorf("the key is not kedge_ and 256 bits: %d bytes, %v", len(random), err)
	}
	if hidden := Hide("GET /v1/keys/" + key + ": no"); hidden != "GET /v1/keys/"+key[:8]+"…: no" || IsKey(hidden) {
		t.Errorf("hidden: %d characters", len(hidden))
	}
	if strings.Contains(string(body), key) || strings.Contains(string(body), key[8:20]) {
		t.Error("the event has the key")
	}
	g, gone, err := r.Find(key, noon)
	if err != nil || g.Prefix != key[:8] || !g.May(Ask) {
		t.Fatalf("found %+v, %v", g, err)
	}
	for _, wrong := range []string{"", "kedge_", key[:8], key[:len(key)-1], key + "A", key[:8] + other[8:], strings.ToUpper(key)} {
		if _, _, err := r.Find(wrong, noon); !errors.Is(err, ErrUnknown) {
			t.Errorf("a text of %d characters that is no key: %v", len(wrong), err)
		}
	}
	if _, _, err := r.Find(key, later); !errors.Is(err, ErrExpired) {
		t.Errorf("at the end of its time: %v", err)
	}
	if used := r.Unwritten()[key[:8]]; !used.Equal(noon) {
		t.Errorf("last used %v", used)
	}
	revoke, _ := json.Marshal(Revocation{Prefix: key[:8]})
	for range 2 {
		if err := r.Fold(KeyRevoked, noon, "test", revoke); err != nil {
			t.Error(err)
		}
	}
	select {
	case <-gone:
	default:
		t.Error("who holds the key is not told that it is revoked")
	}
	if _, _, err := r.Find(key, noon); !errors.Is(err, ErrRevoked) {
		t.Errorf("once it is revoked: %v", err)
	}
	if _, _, err := r.Find(other, noon); err != nil {
		t.Errorf("another key: %v", err)
	}
	if list := r.List(); len(list) != 2 || r.Empty() {
		t.Errorf("%d keys", len(list))
	}
}

// When a key was last used is the later of what this ring has seen and what is written down, of which another server may know more; only what is later
// than all that is written is left to write.
func TestLastUsesAreTheLatest(t *testing.T) {
	for _, c := range []struct {
		found, written, want time.Duration // after noon; found is 0: never
		left                 bool
	}{{0, 1, 1, false}, {2, 1, 2, true}, {2, 2, 2, false}, {2, 3, 3, false}} {
		r := New()
		key, _ := add(t, r, Grant{Rights: []Right{Read}, Loops: []string{"*"}})
		if c.found > 0 {
			if _, _, err := r.Find(key, noon.Add(c.found*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		body, _ := json.Marshal(map[string]time.Time{key[:8]: noon.Add(c.written * time.Hour), "kedge_zz": noon})
		if err := r.Fold(KeysUsed, noon, "server", body); err != nil {
			t.Fatal(err)
		}
		if used := r.List()[0].Used; used == nil || !used.Equal(noon.Add(c.want*time.Hour)) {
			t.Errorf("%+v: last used %v", c, used)
		}
		if left := r.Unwritten(); (len(left) == 1) != c.left {
			t.Errorf("%+v: to be written: %v", c, left)
		}
	}
}

func TestLoopsOfAKey(t *testing.T) {
	for _, c := range []struct {
		loops      []string
		sees, not  []string
		covers, or []string // another key's loops: within, and not
	}{
		{[]string{"shop"}, []string{"shop"}, []string{"shop-a", "sho", "_server", "*"}, []string{"shop"}, []string{"shop*", "*", "sh"}},
		{[]string{"shop-*"}, []string{"shop-a", "shop-"}, []string{"shop", "shops", "_server"}, []string{"shop-a", "shop-a*", "shop-*"}, []string{"shop*", "shop", "*"}},
		{[]string{"a", "b*"}, []string{"a", "b", "bc"}, []string{"ab", "c"}, []string{"a", "b", "bc*"}, []string{"a*"}},
		{[]string{"*"}, []string{"a", "shop"}, nil, []string{"*", "x*"}, nil},
	} {
		g := Grant{Rights: []Right{Read}, Loops: c.loops}
		if err := g.Check(noon); err != nil {
			t.Errorf("%v: %v", c.loops, err)
		}
		for i, list := range [][]string{c.sees, c.not, c.covers, c.or} {
			for _, name := range list {
				got := g.Sees(name)
				if i >= 2 {
					got = g.Covers(Grant{Loops: []string{name}})
				}
				if got != (i%2 == 0) {
					t.Errorf("a key for %v and %s: %t", c.loops, name, got)
				}
			}
		}
	}
}

func TestGrantsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		g    Grant
		want string
	}{
		{Grant{Loops: []string{"*"}}, "rights are missing"},
		{Grant{Rights: []Right{"root"}, Loops: []string{"*"}}, `no right "root"`},
		{Grant{Rights: []Right{Read}}, "loops are missing"},
		{Grant{Rights: []Right{Read}, Loops: []string{"_server"}}, `"_server" is neither`},
		{Grant{Rights: []Right{Read}, Loops: []string{"_*"}}, `"_*" is neither`},
		{Grant{Rights: []Right{Read}, Loops: []string{"a*b"}}, `"a*b" is neither`},
		{Grant{Rights: []Right{Read}, Loops: []string{"*"}, Expires: &noon}, "expired at 2026-11-16T12:00:00Z"},
	} {
		if err := c.g.Check(noon); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.g, err, c.want)
		}
	}
	if g := (Grant{Rights: []Right{Ask}}); g.May("ask tell") || !g.May("ask") || !g.May("") || g.May(Admin) {
		t.Error("rights are not each by itself")
	}
}

// Events that make no sense are an error, never a key.
func TestEventsThatCannotBe(t *testing.T) {
	r := New()
	_, body := add(t, r, All("x"))
	for _, c := range [][2]string{{KeyCreated, "x"}, {KeyCreated, `{"prefix":"kedge_zz","sum":"00"}`}, {KeyCreated, string(body)}, {KeyRevoked, `{"prefix":"none"}`}, {KeyRevoked, "["}, {KeysUsed, "1"}} {
		if err := r.Fold(c[0], noon, "test", []byte(c[1])); err == nil || !strings.HasPrefix(err.Error(), c[0]+": ") || strings.Contains(err.Error(), "key ") != strings.HasPrefix(c[1], "{") {
			t.Errorf("%s %s: %v", c[0], c[1], err)
		}
	}
	if err := r.Fold("backup", noon, "test", nil); err != nil || len(r.List()) != 1 {
		t.Errorf("an event that is not of keys: %v", err)
	}
}

// All that is known of keys, one by one and in a list by their prefixes: who made them and when, when they were used last, by events and since, and when they were revoked.
func TestAccounts(t *testing.T) {
	r := New()
	if _, ok := r.Get("kedge_xx"); ok {
		t.Error("a key that is not there")
	}
	var keys []string
	for range 3 {
		key, _ := add(t, r, Grant{Rights: []Right{Read}, Loops: []string{"*"}})
		keys = append(keys, key)
	}
	slices.Sort(keys)
	fold := func(kind string, at time.Time, body any) {
		t.Helper()
		text, err := json.Marshal(body)
		if err == nil {
			err = r.Fold(kind, at, "other", text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Unwritten()) != 0 {
		t.Errorf("keys that nobody used: %v", r.Unwritten())
	}
	fold(KeysUsed, noon, map[string]time.Time{keys[0][:8]: noon.Add(time.Hour), "kedge_!!": noon})
	fold(KeyRevoked, noon.Add(2*time.Hour), Revocation{Prefix: keys[2][:8]})
	fold(KeyRevoked, noon.Add(3*time.Hour), Revocation{Prefix: keys[2][:8]})
	var got []string
	for _, a := range r.List() {
		got = append(got, fmt.Sprint(a.Prefix, a.Created.Sub(noon), a.By, a.Used, a.Revoked))
		if one, ok := r.Get(a.Prefix); !ok || fmt.Sprint(one.Prefix, one.Created.Sub(noon), one.By, one.Used, one.Revoked) != got[len(got)-1] {
			t.Errorf("by itself it is %+v, in the list %+v", one, a)
		}
	}
	want := []string{
		keys[0][:8] + fmt.Sprint(0*time.Second, "test", noon.Add(time.Hour), nil), keys[1][:8] + fmt.Sprint(0*time.Second, "test", nil, nil),
		keys[2][:8] + fmt.Sprint(0*time.Second, "test", nil, noon.Add(2*time.Hour)),
	}
	for i := range want {
		if squeezed(got[i]) != squeezed(want[i]) {
			t.Errorf("%s, want %s", got[i], want[i])
		}
	}
	if len(r.Unwritten()) != 0 {
		t.Errorf("a use that an event has is to be written again: %v", r.Unwritten())
	}
	for _, at := range []time.Duration{time.Hour, 2 * time.Hour} {
		if _, _, err := r.Find(keys[0], noon.Add(at)); err != nil {
			t.Fatal(err)
		}
		if list, known := r.Unwritten(), at == time.Hour; known != (len(list) == 0) || !known && !list[keys[0][:8]].Equal(noon.Add(at)) {
			t.Errorf("used after %v: %v", at, list)
		}
	}
	fold(KeysUsed, noon, map[string]time.Time{keys[0][:8]: noon.Add(90 * time.Minute)}) // of another service, from before
	if a, _ := r.Get(keys[0][:8]); !a.Used.Equal(noon.Add(2 * time.Hour)) {
		t.Errorf("last used %v", a.Used)
	}
	for _, at := range []time.Duration{2 * time.Hour, 90 * time.Minute} { // the later is written first
		if fold(KeysUsed, noon, map[string]time.Time{keys[0][:8]: noon.Add(at)}); len(r.Unwritten()) != 0 {
			t.Errorf("a use that an event has is to be written again: %v", r.Unwritten())
		}
	}
}

// squeezed is a text without spaces and what says nothing of nothing.
func squeezed(text string) string {
	return strings.NewReplacer(" ", "", "<nil>", "").Replace(text)
}

// There are never more keys than can be told apart; all prefixes differ.
func TestMostKeys(t *testing.T) {
	r, sum := New(), strings.Repeat("00", 32)
	for i := range MostKeys {
		if i == MostKeys-1 {
			if _, _, err := r.Draw(All("x")); err != nil {
				t.Errorf("the last key: %v", err)
			}
		}
		if err := r.Fold(KeyCreated, noon, "test", fmt.Appendf(nil, `{"prefix":"k%07d","sum":%q}`, i, sum)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := r.Draw(All("x")); err == nil || !strings.Contains(err.Error(), "there were 4000 keys already") {
		t.Errorf("one too many: %v", err)
	}
	r = New()
	for range 500 { // of 4,096 prefixes: some are drawn twice
		add(t, r, All("x"))
	}
}

// Who asks for too many names is told so; all mistakes are told at once, and who has all loops is known.
func TestGrantsOfManyLoops(t *testing.T) {
	names := slices.Repeat([]string{"shop"}, 1000)
	g := Grant{Rights: Rights(), Loops: names}
	if err := g.Check(noon); err != nil || g.Whole() {
		t.Errorf("a thousand names: %v, all: %t", err, g.Whole())
	}
	g.Loops = append(names, "*")
	if err := g.Check(noon); err == nil || err.Error() != "a key has at most 1,000 names of loops; a star stands for many" || !g.Whole() {
		t.Errorf("a name more: %v", err)
	}
	later := noon.Add(1)
	if err := (Grant{Rights: []Right{Read}, Loops: []string{strings.Repeat("a", 63) + "*"}, Expires: &later}).Check(noon); err != nil {
		t.Error(err)
	}
	err := Grant{Rights: []Right{"x"}, Loops: []string{strings.Repeat("a", 64), "-a", "*a", ""}}.Check(noon)
	if lines := strings.Split(fmt.Sprint(err), "\n"); len(lines) != 5 || lines[0] != `there is no right "x"; there are read, ask, tell, operate, admin` {
		t.Errorf("five mistakes: %q", lines)
	}
	if a := All("me"); a.Prefix != "me" || !a.Whole() || !a.May("read ask tell operate admin") || a.Check(noon) != nil {
		t.Errorf("all: %+v", a)
	}
}

// What is like a key, or most of one, is hidden wherever it is; what is shorter is not.
func TestHidden(t *testing.T) {
	for text, want := range map[string]string{
		"kedge_" + strings.Repeat("a", 19):                                              "kedge_" + strings.Repeat("a", 19),
		"kedge_" + strings.Repeat("a", 20):                                              "kedge_aa…",
		"a kedge_" + strings.Repeat("-_9Z", 9) + ", b kedge_" + strings.Repeat("b", 43): "a kedge_-_…, b kedge_bb…",
		"kedge": "kedge",
	} {
		if got := Hide(text); got != want || IsKey(text) != (want != text) {
			t.Errorf("%s is told as %s, want %s; a key: %t", text, got, want, IsKey(text))
		}
	}
}
