package command

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	talker "github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// Somebody watches while the service is killed and started again: every event is shown once, in order.
func TestWatch(t *testing.T) {
	s := newServing(t)
	url := "http://" + s.address
	l := talker.Open(url).Loop("shop")
	if _, err := l.Create(t.Context(), "shop", shopSpec, session.Live); err != nil {
		t.Fatal(err)
	}
	c, _ := process(t, "watch", "--after", "0", "--server", url)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	const rounds = 4
	for k := range rounds {
		offer, err := l.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Exchange(t.Context(), talker.Round{K: offer.K, Deployment: &session.Deploy{U: offer.U}, Name: "am",
			Batch: &talker.Answers{P: [][]float64{{7, 5}, {6, 5}}, D: [][]float64{{10, 8}, {9, 8}}}, Close: &session.Close{}})
		if err != nil {
			t.Fatal(err)
		}
		if k%2 == 0 {
			s.kill()
			s.start()
		}
	}
	lines := bufio.NewScanner(out)
	for n := 1; n <= 1+4*rounds; n++ { // created, then opened, deployed, batch, closed
		if !lines.Scan() {
			t.Fatalf("%d events, then none: %v", n-1, lines.Err())
		}
		kind := []string{"closed", "opened", "deployed", "batch"}[(n-1)%4]
		if n == 1 {
			kind = "created"
		}
		if want := fmt.Sprintf("shop #%d  %s", n, kind); !strings.Contains(lines.Text(), want) {
			t.Fatalf("line %d is %q, want %q", n, lines.Text(), want)
		}
	}
	if got := typed(t, "", "watch", "nowhere", "--server", url); got.code != exitFailed || !strings.Contains(got.complaint, "there is no loop nowhere") {
		t.Errorf("a loop that is not there: %+v", got)
	}
}
