package crew

import "context"

// Until returns what compute makes or, as soon as the context is done, its error. It is for work that has no place to stop at, in
// a process that ends when it is stopped: nobody waits for what goes on until then. So compute may read and compute, and must write nothing.
func Until[T any](ctx context.Context, compute func() (T, error)) (value T, err error) {
	type outcome struct {
		value T
		err   error
	}
	done, broken := make(chan outcome, 1), new(Panic)
	go func() {
		defer broken.Catch(func() { close(done) })
		v, err := compute()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		broken.Throw()
		return o.value, o.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}
