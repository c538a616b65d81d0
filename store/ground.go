package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	"github.com/kedge-opt/kedge/internal/disk"
	"modernc.org/sqlite"
)

// What the package stands on, connections to databases and a disk. Tests have others in their place, which fail.
var (
	dial   = func(dsn string) (driver.Conn, error) { return (&sqlite.Driver{}).Open(dsn) }
	ground = func() disk.Disk { return disk.Disk{} }
)

// address is where a database is, and how it is used.
type address string

// Connect makes a connection.
func (a address) Connect(context.Context) (driver.Conn, error) { return dial(string(a)) }

// Driver is that of SQLite.
func (address) Driver() driver.Driver { return &sqlite.Driver{} }

// connections are those to the database of a file, none of which is made yet.
func connections(file, options string) *sql.DB {
	return sql.OpenDB(address("file:" + uri(file) + options))
}

// uri escapes what a file name may hold that ends the path of a URI.
func uri(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}
