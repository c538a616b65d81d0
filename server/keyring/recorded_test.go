package keyring

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// known is a key that everybody may know, with what an event has of it.
func known(i int) (key string, c Creation) {
	key = fmt.Sprintf("kedge_%02d-key-number-%d-that-everybody-may-know", i, i)
	return key, Creation{Grant{Prefix: key[:8], Rights: Rights()[:1+i%5], Loops: []string{"shop", "a*"}[:1+i%2]}, fmt.Sprintf("%x", sha256.Sum256([]byte(key)))}
}

// said is what a ring knows at a time, in one line.
func said(r *Ring) string {
	var list []string
	hours := func(t *time.Time) string {
		if t == nil {
			return "-"
		}
		return fmt.Sprint(t.Sub(noon).Hours())
	}
	for _, a := range r.List() {
		list = append(list, fmt.Sprint(a.Prefix[6:], a.By, a.Created.Sub(noon).Hours(), " ", hours(a.Used), " ", hours(a.Revoked)))
	}
	left := r.Unwritten()
	for _, prefix := range slices.Sorted(maps.Keys(left)) {
		list = append(list, fmt.Sprint("left ", prefix[6:], left[prefix].Sub(noon).Hours()))
	}
	return fmt.Sprint(r.Empty(), " ", strings.Join(list, ", "))
}

// Random events and uses leave rings that know what they knew when this was recorded, and are refused in the same words.
func TestRingsAreAsRecorded(t *testing.T) {
	var lines []string
	for seed := range uint64(6) {
		random, r := rand.New(rand.NewPCG(seed, 3)), New()
		gone := map[string]<-chan struct{}{}
		for range 60 {
			now := noon.Add(time.Duration(random.IntN(40)) * time.Hour)
			key, c := known(random.IntN(6))
			if random.IntN(3) == 0 {
				end := noon.Add(time.Duration(10+random.IntN(20)) * time.Hour)
				c.Expires = &end
			}
			kind, body := KeyCreated, any(c)
			switch random.IntN(8) {
			case 0:
				kind, body = KeyRevoked, Revocation{Prefix: c.Prefix, Reason: "lost"}
			case 1, 2:
				kind, body = KeysUsed, map[string]time.Time{c.Prefix: now, "kedge_99": now}
			case 3, 4, 5:
				if random.IntN(5) == 0 {
					key = key[:random.IntN(len(key))] + "x"
				}
				g, ends, err := r.Find(key, now)
				if err == nil {
					gone[g.Prefix] = ends
				}
				lines = append(lines, fmt.Sprint("find ", now.Sub(noon).Hours(), " ", g.Prefix, g.Rights, g.Loops, " ", err))
				continue
			case 6:
				kind, body = []string{"backup", KeyCreated, KeyRevoked, KeysUsed}[random.IntN(4)], []any{3, "x", map[string]string{"prefix": "kedge_00", "sum": "0g"}, map[string]string{"sum": strings.Repeat("0", 62)}}[random.IntN(4)]
			}
			text, err := json.Marshal(body)
			if err == nil {
				err = r.Fold(kind, now, "me", text)
			}
			told := 0
			for _, ends := range gone {
				select {
				case <-ends:
					told++
				default:
				}
			}
			lines = append(lines, fmt.Sprint(kind, " ", err, " told ", told, ": ", said(r)))
		}
	}
	evidence.AsRecorded(t, "testdata/rings.txt", lines)
}

// What a grant covers, sees and may, and what is wrong with it, is as it was, for many pairs of them.
func TestGrantsAreAsRecorded(t *testing.T) {
	past, later := noon.Add(-time.Hour), noon.Add(time.Hour)
	var list []Grant
	for _, rights := range [][]Right{nil, {Read}, {Ask, Tell}, {Admin}, Rights(), {"none", Read}} {
		for _, loops := range [][]string{nil, {"*"}, {"shop"}, {"shop*"}, {"shop-a", "b*"}, {"_server"}, {"_*"}, {"a b"}, {strings.Repeat("x", 64)}} {
			for _, ends := range []*time.Time{nil, &past, &noon, &later} {
				list = append(list, Grant{Rights: rights, Loops: loops, Expires: ends})
			}
		}
	}
	var lines []string
	for i, g := range list {
		bits := fmt.Sprint(g.Whole())
		for _, other := range list {
			bits += fmt.Sprint(g.Covers(other))
		}
		for _, name := range []string{"shop", "shop-a", "sho", "bc", "b", "_server", "", "*"} {
			bits += fmt.Sprint(g.Sees(name))
		}
		for _, right := range []Right{"", Read, Ask, Tell, Operate, Admin, "none", "read ask"} {
			bits += fmt.Sprint(g.May(right))
		}
		bits = strings.NewReplacer("true", "1", "false", "0").Replace(bits)
		lines = append(lines, strings.Split(fmt.Sprintf("%d %.6x %s %v", i, sha256.Sum256([]byte(bits)), bits[len(bits)-17:], g.Check(noon)), "\n")...)
	}
	evidence.AsRecorded(t, "testdata/grants.txt", lines)
}
