package server

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/web"
)

type asset struct {
	kind, tag     string
	plain, packed []byte
}

// shelf is the files of the dashboard, each packed once.
var shelf = sync.OnceValue(func() map[string]asset {
	all := map[string]asset{}
	files := web.Dashboard()
	names, _ := fs.Glob(files, "*")
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			continue
		}
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		z.Write(data)
		z.Close()
		sum := sha256.Sum256(data)
		all[name] = asset{mime.TypeByExtension(path.Ext(name)), fmt.Sprintf(`"%x"`, sum[:12]), data, packed.Bytes()}
	}
	return all
})

// asset answers a file of the dashboard. Browsers may keep it, and ask whether it is still the same.
func (c *call) asset(name string) (int, any, error) {
	a, ok := shelf()[name]
	if !ok {
		return 0, nil, problem(session.NotFound, "the dashboard has no file "+name)
	}
	h := c.w.Header()
	h.Set("Content-Type", a.kind)
	if name != "index.html" { // they hold nothing that a key opens
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	if c.Request.Header.Get("If-None-Match") == a.tag {
		c.w.WriteHeader(304)
		return 304, nil, nil
	}
	data := a.plain
	if strings.Contains(c.Request.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = a.packed
	}
	h.Set("Content-Length", strconv.Itoa(len(data)))
	c.w.Write(data)
	return 200, nil, nil
}
