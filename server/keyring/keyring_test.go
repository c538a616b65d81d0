package keyring

import (
	"encoding/base64"
	"encoding/json"
	"errors"
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
		if err := r.Fold(c[0], noon, "test", []byte(c[1])); err == nil {
			t.Errorf("%s %s is taken", c[0], c[1])
		}
	}
	if err := r.Fold("backup", noon, "test", nil); err != nil || len(r.List()) != 1 {
		t.Errorf("an event that is not of keys: %v", err)
	}
}
