package service

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/spf13/cobra"
)

// Dial is how a command calls a service.
type Dial struct{ address, keyFile string }

// keyVariable is where a key comes from if no file is named: arguments are seen by everybody on the machine.
const keyVariable = "KEDGE_KEY"

// Offer offers the flags.
func (d *Dial) Offer(c *cobra.Command) {
	c.Flags().StringVar(&d.address, "server", "http://"+DefaultAddress, "the address of the service, also unix:PATH")
	c.Flags().StringVar(&d.keyFile, "key-file", "", "the file of the key (default the variable "+keyVariable+")")
}

// mostKeyFile is how much of the file of a key is read.
const mostKeyFile = 4 << 10

// Open is a client of the service.
func (d *Dial) Open() (*client.Client, error) {
	key := os.Getenv(keyVariable)
	if d.keyFile != "" {
		f, err := plain.Open(d.keyFile)
		if err != nil {
			return nil, fmt.Errorf("--key-file: %w", err)
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, mostKeyFile))
		if err != nil {
			return nil, fmt.Errorf("--key-file %s: %w", d.keyFile, err)
		}
		if key = strings.TrimSpace(string(text)); key == "" {
			return nil, fmt.Errorf("--key-file %s: the file is empty", d.keyFile)
		}
	}
	return client.Open(d.address, client.Key(key)), nil
}
