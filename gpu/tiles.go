package gpu

import (
	"reflect"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/ptx"
)

// The window of a crowd begins with its flag, a sum, a loss and the shared numbers; rows and numbers of individuals are behind.
const (
	flagAt, sumAt, lossAt, sharedAt = 0, 8, 16, 64
	windowHead                      = 1 << 16
)

// windowBytes is how much goes up or down at a time.
const windowBytes = 32 << 20

// tiles are rows on the device, Tile of them side by side.
type tiles struct {
	device.Slab
	format ptx.Precision
	rows   int
	width  int
}

func (t *tiles) count() int { return (t.rows + ptx.Tile - 1) / ptx.Tile }

// tileBytes are those of one tile.
func (t *tiles) tileBytes() int { return ptx.Tile * t.width * t.format.Bytes() }

func newTiles(dev *device.Device, f ptx.Precision, rows, width int) (*tiles, error) {
	t := &tiles{format: f, rows: rows, width: width}
	var err error
	t.Slab, err = dev.Alloc(t.count() * t.tileBytes())
	return t, err
}

// fill sends rows to the device, which view gives tile by tile; it is called by several goroutines, each with its own room.
func (t *tiles) fill(dev *device.Device, w *device.Locked, hands int, view func(room []float64, first, last int) ([]float64, error)) error {
	many := min(t.count(), w.Bytes/t.tileBytes())
	room := make([]float64, hands*ptx.Tile*t.width)
	for begin := 0; begin < t.count(); begin += many {
		end := min(begin+many, t.count())
		err := crew.Share(hands, end-begin, func(hand, k int) error {
			first := (begin + k) * ptx.Tile
			last := min(first+ptx.Tile, t.rows)
			x, err := view(room[hand*ptx.Tile*t.width:][:(last-first)*t.width], first, last)
			if err == nil {
				t.turn(w, k, x)
			}
			return err
		})
		if err == nil {
			err = dev.Send(t.Slab, begin*t.tileBytes(), w, 0, (end-begin)*t.tileBytes())
		}
		if err == nil {
			err = dev.Wait()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// turn puts rows into tile k of a window.
func (t *tiles) turn(w *device.Locked, k int, x []float64) {
	if t.format == ptx.Float32 {
		transpose(w.Singles(k*t.tileBytes(), ptx.Tile*t.width), x, t.width)
	} else {
		transpose(w.Doubles(k*t.tileBytes(), ptx.Tile*t.width), x, t.width)
	}
}

func transpose[F float32 | float64](to []F, x []float64, width int) {
	for i := range len(x) / width {
		for j, v := range x[i*width : (i+1)*width] {
			to[j*ptx.Tile+i] = F(v)
		}
	}
}

// traits are everybody's on the device.
type traits struct {
	*tiles
	unit bool // rounded directions, which are brought back to length 1 when they are read
	of   kedge.Rows
}

// lying is where the numbers of a block lie: others may begin at the same one.
type lying struct {
	first       *float64
	many, width int
}

// identity is by what rows are known again, nil for rows that are not.
func identity(r kedge.Rows) any {
	switch r := r.(type) {
	case kedge.Block:
		if len(r.Data) > 0 {
			return lying{&r.Data[0], len(r.Data), r.Width}
		}
	default:
		if reflect.TypeOf(r).Kind() == reflect.Pointer {
			return r
		}
	}
	return nil
}

// find returns traits that are on the device already.
func (p *Board) find(r kedge.Rows) *traits {
	p.mu.Lock()
	defer p.mu.Unlock()
	if key := identity(r); key != nil {
		return p.kept[key]
	}
	return nil
}

// bring brings traits to the device, once for all who share them.
func (p *Board) bring(r kedge.Rows, w *device.Locked, hands int) (*traits, error) {
	if t := p.find(r); t != nil {
		return t, nil
	}
	t, err := p.send(r, w, hands)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if key := identity(r); key != nil {
		p.kept[key] = t
	}
	return t, nil
}

// send sends traits, those that are kept in single precision as they are kept if a kernel can mend them as their View does.
func (p *Board) send(r kedge.Rows, w *device.Locked, hands int) (*traits, error) {
	if short, ok := r.(shortRows); ok {
		if t, err := p.sendShort(short, w, hands); t != nil || err != nil {
			return t, err
		}
	}
	return p.load(ptx.Float64, r, w, hands, func(room []float64, first, last int) ([]float64, error) {
		return finite(r.View(room, first, last))
	})
}

// load takes memory for traits and fills it with what view gives.
func (p *Board) load(f ptx.Precision, r kedge.Rows, w *device.Locked, hands int, view func(room []float64, first, last int) ([]float64, error)) (*traits, error) {
	n, width := r.Size()
	made, err := newTiles(p.dev, f, n, width)
	if err != nil {
		return nil, err
	}
	if err := made.fill(p.dev, w, hands, view); err != nil {
		p.dev.Free(made.Slab)
		return nil, err
	}
	return &traits{tiles: made, of: r}, nil
}

// strangeError says that rows hold what is not finite, or what is mended in another way; somebody else finds out what.
type strangeError struct{}

func (strangeError) Error() string { return "rows are not what kernels read" }

func finite(x []float64) ([]float64, error) {
	if !rows.Finite(x) {
		return nil, strangeError{}
	}
	return x, nil
}

// shortRows are rows that are kept in single precision, as *population.Float32s are.
type shortRows interface {
	kedge.Rows
	Short(first, last int) (data []float32, mended bool)
}

// sendShort sends rows in single precision; nil where they are mended otherwise than to length 1.
func (p *Board) sendShort(r shortRows, w *device.Locked, hands int) (*traits, error) {
	_, width := r.Size()
	_, mended := r.Short(0, 0)
	t, err := p.load(ptx.Float32, r, w, hands, func(room []float64, first, last int) ([]float64, error) {
		kept, _ := r.Short(first, last)
		x := make([]float64, 2*len(kept))
		x, want := x[:len(kept)], r.View(x[len(kept):], first, last)
		for i, v := range kept {
			room[i], x[i] = float64(v), float64(v)
		}
		if mended {
			for i := range last - first {
				row := kedge.Row(x, i, width)
				rows.Scale(row, 1/rows.Norm(row))
			}
		}
		if !rows.SameBits(x, want) {
			return nil, strangeError{}
		}
		return finite(room)
	})
	if err == error(strangeError{}) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t.unit = mended
	return t, nil
}

// remoteRows are rows on the device as others look at them, some tiles at a time, until what is there changes.
type remoteRows struct {
	of          *tiles
	dev         *device.Device
	window      *device.Locked
	shown       **remoteRows                                               // whose tiles are in the window
	instead     func(err error, room []float64, first, last int) []float64 // is View where the device fails
	begin, have int                                                        // tiles that are in the window, if they are
}

var _ kedge.Rows = (*remoteRows)(nil)

// Size returns how many rows there are and their width.
func (r *remoteRows) Size() (rows, width int) { return r.of.rows, r.of.width }

// View brings rows into room.
func (r *remoteRows) View(room []float64, first, last int) []float64 {
	room = room[:(last-first)*r.of.width]
	for i := first; i < last; i++ {
		k := i / ptx.Tile
		if *r.shown != r || k < r.begin || k >= r.begin+r.have {
			if err := r.look(k); err != nil {
				return r.instead(err, room, first, last)
			}
		}
		r.row(room[(i-first)*r.of.width:(i-first+1)*r.of.width], (k-r.begin)*r.of.tileBytes(), i%ptx.Tile)
	}
	return room
}

// look brings tiles from number k on into the window.
func (r *remoteRows) look(k int) error {
	w, t := r.window, r.of
	*r.shown = nil
	many := min(64, (w.Bytes-windowHead)/t.tileBytes(), t.count()-k)
	if err := r.dev.Fetch(w, windowHead, t.Slab, k*t.tileBytes(), many*t.tileBytes()); err != nil {
		return err
	}
	if err := r.dev.Wait(); err != nil {
		return err
	}
	r.begin, r.have, *r.shown = k, many, r
	return nil
}

// row copies row i of the tile at an offset.
func (r *remoteRows) row(dst []float64, offset, i int) {
	w, t := r.window, r.of
	if t.format == ptx.Float32 {
		from := w.Singles(windowHead+offset, ptx.Tile*t.width)
		for j := range dst {
			dst[j] = float64(from[j*ptx.Tile+i])
		}
		return
	}
	from := w.Doubles(windowHead+offset, ptx.Tile*t.width)
	for j := range dst {
		dst[j] = from[j*ptx.Tile+i]
	}
}
