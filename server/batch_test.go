package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/npy"
)

// answered is somebody of the crowd of the shop.
type answered struct {
	P  []float64 `json:"p"`
	D  []float64 `json:"d"` // nil: unknown
	W  float64   `json:"w"`
	ID string    `json:"id"`
}

// writers write people in every format that the server takes.
var writers = map[string]func(t *testing.T, all []answered) (contentType string, body []byte){
	"json": func(t *testing.T, all []answered) (string, []byte) { return "application/json", inColumns(all) },
	"json in gzip": func(t *testing.T, all []answered) (string, []byte) {
		return "application/json", zipped(inColumns(all))
	},
	"ndjson": func(t *testing.T, all []answered) (string, []byte) { return "application/x-ndjson", inLines(all) },
	"ndjson in gzip": func(t *testing.T, all []answered) (string, []byte) {
		return "application/x-ndjson", zipped(inLines(all))
	},
	"parquet": func(t *testing.T, all []answered) (string, []byte) {
		var table columns.Table
		for _, name := range []string{"p.0", "p.1", "d.0", "d.1", "w"} {
			c := columns.Column{Name: name}
			for _, one := range all {
				c.Numbers = append(c.Numbers, one.entry(name))
			}
			table.Columns = append(table.Columns, c)
		}
		ids := columns.Column{Name: "id"}
		for _, one := range all {
			ids.Text = append(ids.Text, one.ID)
		}
		table.Columns = append(table.Columns, ids)
		var b bytes.Buffer
		if err := table.WriteParquet(&b); err != nil {
			t.Fatal(err)
		}
		return "application/vnd.apache.parquet", b.Bytes()
	},
	"npz": func(t *testing.T, all []answered) (string, []byte) {
		var list []npy.Named
		for _, a := range []struct {
			name    string
			columns []string
		}{{"p", []string{"p.0", "p.1"}}, {"d", []string{"d.0", "d.1"}}, {"w", []string{"w"}}, {"id", []string{"id"}}} {
			one := npy.Named{Name: a.name, Array: npy.Array{Shape: []int{len(all)}}}
			if len(a.columns) > 1 {
				one.Shape = append(one.Shape, len(a.columns))
			}
			for _, who := range all {
				for _, column := range a.columns {
					one.Data = append(one.Data, who.entry(column))
				}
			}
			list = append(list, one)
		}
		var b bytes.Buffer
		if err := npy.WriteZip(&b, list...); err != nil {
			t.Fatal(err)
		}
		return "application/x-npz", b.Bytes()
	},
}

func (a answered) entry(column string) float64 {
	switch column {
	case "w":
		return a.W
	case "id":
		var n float64
		fmt.Sscan(a.ID, &n)
		return n
	}
	list := a.P
	if column[0] == 'd' {
		list = a.D
	}
	if list == nil {
		return nan
	}
	return list[column[2]-'0']
}

func inColumns(all []answered) []byte {
	var c struct {
		P  [][]float64 `json:"p"`
		D  [][]float64 `json:"d"`
		W  []float64   `json:"w"`
		ID []string    `json:"id"`
	}
	for _, one := range all {
		c.P, c.D, c.W, c.ID = append(c.P, one.P), append(c.D, one.D), append(c.W, one.W), append(c.ID, one.ID)
	}
	text, _ := json.Marshal(c)
	return text
}

func inLines(all []answered) []byte {
	var b bytes.Buffer
	for _, one := range all {
		json.NewEncoder(&b).Encode(one)
	}
	return b.Bytes()
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// put sends a batch in a format and returns the hash of its content.
func (s *site) put(status int, path, format string, all []answered) string {
	s.Helper()
	kind, body := writers[format](s.T, all)
	r, err := http.NewRequest("PUT", s.url+path, bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	if len(format) > 4 && format[len(format)-4:] == "gzip" {
		r.Header.Set("Content-Encoding", "gzip")
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	var v struct{ Content string }
	if err := json.Unmarshal(text, &v); reply.StatusCode != status || err != nil {
		s.Fatalf("%s: %s %s", format, reply.Status, text)
	}
	return v.Content
}

// Batches in any order and in any format have the same hashes and lead to the same decision; so do the same people split in another way.
func TestBatchesInAnyOrderAndFormat(t *testing.T) {
	s := newSite(t)
	r := rand.New(rand.NewPCG(5, 6))
	var crowd []answered
	far := 0.0
	for i := range 23 { // of pairs that are far apart, so that sums in another order have other bits
		if far = -far; i%2 == 0 && i < 22 {
			far = 1e6 * r.NormFloat64()
		}
		one := answered{P: []float64{5 + far, 4 + r.NormFloat64()}, D: []float64{10 + r.Float64(), 8 * r.Float64()}, W: float64(1+i/2%3) / 4, ID: fmt.Sprint(1000 + i)}
		if i%6 > 3 {
			one.D = nil
		}
		crowd = append(crowd, one)
	}
	var names []string
	for name := range writers {
		names = append(names, name)
	}
	free := strings.Replace(shop, "norm: 0.5", "norm: .inf", 1) // a cap would hide in which order people are summed
	next, hashes := "", map[string]string{}
	for round, order := range orders(4) {
		loop := fmt.Sprintf("shop-%d", round)
		s.createOf(loop, "live", free)
		s.want(200, "POST", "/v1/loops/"+loop+"/ask", "")
		d := "/v1/loops/" + loop + "/decisions/1"
		s.want(201, "PUT", d+"/deployment", `{"u":[3,3]}`)
		cuts := [][]int{{0, 6, 12, 18, 23}, {0, 1, 12, 22, 23}, {0, 5, 6, 7, 23}}[round%3]
		for turn, which := range order {
			people := crowd[cuts[which]:cuts[which+1]]
			at := fmt.Sprintf("%s/batches/%c?observed_at=2099-01-01T00:00:00Z", d, 'a'+which)
			got := s.put(201, at, names[(round+turn)%len(names)], people)
			if again := s.put(200, at, names[(round+turn+1)%len(names)], people); again != got {
				t.Fatalf("the same people are %s and %s", got, again)
			}
			key := fmt.Sprint(round%3, which)
			if was := hashes[key]; was != "" && was != got {
				t.Errorf("batch %s is %s and %s", key, was, got)
			}
			hashes[key] = got
		}
		s.want(200, "POST", d+"/close", `{"expect":{"rows":23}}`)
		u := fmt.Sprint(s.want(200, "POST", "/v1/loops/"+loop+"/ask", "")["u"])
		if next != "" && u != next || u == "[3 3]" {
			t.Errorf("order %v leads to %s, another to %s", order, u, next)
		}
		next = u
	}
}

// orders are all orders of n things.
func orders(n int) (all [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, rest := range orders(n - 1) {
		for at := range n {
			all = append(all, append(append(append([]int{}, rest[:at]...), n-1), rest[at:]...))
		}
	}
	return all
}
