package transport_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

var errEnough = errors.New("enough")

// patient is a context that ends when it has been asked so many times.
type patient struct {
	context.Context
	asked, most int
}

func (p *patient) Err() error {
	if p.asked++; p.asked > p.most {
		return errEnough
	}
	return nil
}

// Every method stops with the context's cause, while it reads costs (one question a row) and later on.
func TestMethodsStop(t *testing.T) {
	const n = 200
	s := stream.New(1, "stop")
	c := euclidean(t, cloud(s, n, 3), cloud(s, n, 3), 3)
	a, b := weights(s, n, 1), weights(s, n, 1)
	for name, solve := range map[string]func(context.Context) error{
		"exact":      func(ctx context.Context) error { _, err := transport.Exact(ctx, a, b, c); return err },
		"assignment": func(ctx context.Context) error { _, err := transport.Assignment(ctx, c); return err },
	} {
		for _, most := range []int{0, n - 1, n} {
			if err := solve(&patient{context.Background(), 0, most}); !errors.Is(err, errEnough) {
				t.Errorf("%s, asked more than %d times: %v", name, most, err)
			}
		}
		if err := solve(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
