package store

import "github.com/klauspost/compress/zstd"

// Packer packs blobs as journals keep them. It is safe for concurrent use.
type Packer struct {
	in  *zstd.Encoder
	out *zstd.Decoder
}

// leastPacked is how many bytes are worth the time to pack them: a few dozen people are less than a page of the database either way.
const leastPacked = 2 << 10

// mostUnpacked bounds what a damaged blob can claim to be.
const mostUnpacked = 1 << 30

// NewPacker is one.
func NewPacker() (*Packer, error) {
	in, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	out, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(readers), zstd.WithDecoderMaxMemory(mostUnpacked))
	return &Packer{in, out}, err
}

// Pack packs a blob, where that makes it smaller, and says how.
func (p *Packer) Pack(blob []byte) (pack int, data []byte) {
	if len(blob) >= leastPacked {
		if packed := p.in.EncodeAll(blob, nil); len(packed) < len(blob) {
			return zipped, packed
		}
	}
	return asIs, blob
}

// Unpack is the blob, in room where it has to be unpacked.
func (p *Packer) Unpack(pack int, data, room []byte) ([]byte, error) {
	if pack == zipped {
		return p.out.DecodeAll(data, room)
	}
	return data, nil
}

// Close gives its memory back.
func (p *Packer) Close() { p.out.Close() }
