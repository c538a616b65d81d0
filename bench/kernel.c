// The polarized kernels in C, one thread: what a patient programmer gets out of the machine, to measure kedge against.
//
// Opinions are rows of m numbers, as in kedge, and m is known at run time only. A block of 16 people is done at once: four
// rows side by side, so that sums over a row end in four shuffles for four people, then square roots and divisions for all 16.
//
//   gcc -O3 -march=native -fno-math-errno -fno-trapping-math kernel.c -o kernel -lm
//   kernel [--skip-large]      time the kernels and print JSON
//   kernel --check IN OUT      one step and the steady affinities of IN/people.f64 under IN/q0.f64
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 16, LANES = 4 };

typedef double vec __attribute__((vector_size(8 * LANES)));
typedef long mask __attribute__((vector_size(8 * LANES)));

typedef struct {
	double lambda, sigma;
} model;

static inline vec load(const double *x) {
	vec v;
	memcpy(&v, x, sizeof v);
	return v;
}

static inline void store(double *x, vec v) { memcpy(x, &v, sizeof v); }

// sums returns the sums of the lanes of four vectors.
static inline vec sums(vec a, vec b, vec c, vec d) {
	vec ab = __builtin_shuffle(a, b, (mask){0, 4, 2, 6}) + __builtin_shuffle(a, b, (mask){1, 5, 3, 7});
	vec cd = __builtin_shuffle(c, d, (mask){0, 4, 2, 6}) + __builtin_shuffle(c, d, (mask){1, 5, 3, 7});
	return __builtin_shuffle(ab, cd, (mask){0, 1, 4, 5}) + __builtin_shuffle(ab, cd, (mask){2, 3, 6, 7});
}

// dots4 writes the products of four rows with q.
static inline void dots4(double *dst, const double *rows, const double *q, long m) {
	vec s[4] = {{0}};
	long j = 0;
	for (; j + LANES <= m; j += LANES) {
		vec u = load(q + j);
		for (int i = 0; i < 4; i++)
			s[i] += load(rows + i * m + j) * u;
	}
	store(dst, sums(s[0], s[1], s[2], s[3]));
	for (; j < m; j++)
		for (int i = 0; i < 4; i++)
			dst[i] += rows[i * m + j] * q[j];
}

// blend4 replaces four rows p by λp + (1−λ)p0 + pull·q and writes the squares of their lengths.
static inline void blend4(double *squares, double *p, const double *p0, const double *q, const double *pull, model f, long m) {
	vec s[4] = {{0}};
	double keep = 1 - f.lambda;
	long j = 0;
	for (; j + LANES <= m; j += LANES) {
		vec u = load(q + j);
		for (int i = 0; i < 4; i++) {
			vec x = f.lambda * load(p + i * m + j) + keep * load(p0 + i * m + j) + pull[i] * u;
			store(p + i * m + j, x);
			s[i] += x * x;
		}
	}
	store(squares, sums(s[0], s[1], s[2], s[3]));
	for (; j < m; j++)
		for (int i = 0; i < 4; i++) {
			double x = f.lambda * p[i * m + j] + keep * p0[i * m + j] + pull[i] * q[j];
			p[i * m + j] = x;
			squares[i] += x * x;
		}
}

static inline void scale(double *x, double a, long m) {
	long j = 0;
	for (; j + LANES <= m; j += LANES)
		store(x + j, a * load(x + j));
	for (; j < m; j++)
		x[j] *= a;
}

// step moves count rows, a multiple of 4, by p ← p̃/‖p̃‖.
__attribute__((noinline)) static void step(double *restrict p, const double *restrict p0, const double *restrict q, long count,
                                           long m, model f) {
	for (long b = 0; b < count; b += BLOCK) {
		long rows = count - b < BLOCK ? count - b : BLOCK;
		double a[BLOCK], c[BLOCK];
		for (int i = 0; i < BLOCK; i++)
			a[i] = 0, c[i] = 1;
		for (long g = 0; g < rows; g += 4)
			dots4(a + g, p + (b + g) * m, q, m);
		for (int i = 0; i < BLOCK; i++)
			a[i] *= f.sigma;
		for (long g = 0; g < rows; g += 4)
			blend4(c + g, p + (b + g) * m, p0 + (b + g) * m, q, a + g, f, m);
		for (int i = 0; i < BLOCK; i++)
			c[i] = 1 / sqrt(c[i]);
		for (long i = 0; i < rows; i++)
			scale(p + (b + i) * m, c[i], m);
	}
}

// newton moves the 16 roots e of k²[S²/(e+s)² + C²/e²] = 1 one step and tells whether one of them moved far; kc = kC, ks = kS.
static inline int newton(double *e, const double *kc, const double *ks, double s) {
	long far = 0;
	for (int i = 0; i < BLOCK; i++) {
		double r = e[i] + s, both = 1 / (r * e[i]), x = e[i] * both, y = r * both;
		double a = ks[i] * x, b = kc[i] * y;
		a *= a;
		b *= b;
		double psi = a + b, de = psi * (sqrt(psi) - 1) / (a * x + b * y);
		e[i] += de;
		far |= de > 1e-9;
	}
	return far != 0;
}

// settle writes the steady affinities of 16 people of products a = p0ᵀq. The start k − sS² lies left of the root by the convexity
// of 1/x² and C² + S² = 1, as does k|C|; from there Newton only rises, and the error it leaves is the square of its last step.
static inline void settle(double *a, double length, model f) {
	double k = 1 - f.lambda, s = f.sigma * length * length;
	double kc[BLOCK], ks[BLOCK], e[BLOCK];
	for (int i = 0; i < BLOCK; i++) {
		double c = a[i] / length, square = 1 - c * c;
		square = square > 0 ? square : 0;
		kc[i] = k * c;
		ks[i] = k * sqrt(square);
		double low = k - s * square, side = kc[i] > 0 ? kc[i] : -kc[i];
		e[i] = low > side ? low : side;
	}
	for (int n = 0; n < 60 && newton(e, kc, ks, s); n++)
		;
	for (int i = 0; i < BLOCK; i++)
		a[i] = length * kc[i] / e[i];
}

static double norm(const double *x, long m) {
	double s = 0;
	for (long j = 0; j < m; j++)
		s += x[j] * x[j];
	return sqrt(s);
}

// steady writes the affinity hᵀq of every person's steady state h and returns their sum; count is a multiple of 4, and q ≠ 0.
__attribute__((noinline)) static double steady(double *restrict out, const double *restrict p0, const double *restrict q,
                                               long count, long m, model f) {
	double length = norm(q, m), total = 0;
	for (long b = 0; b < count; b += BLOCK) {
		long rows = count - b < BLOCK ? count - b : BLOCK;
		double a[BLOCK] = {0};
		for (long g = 0; g < rows; g += 4)
			dots4(a + g, p0 + (b + g) * m, q, m);
		settle(a, length, f);
		for (long i = 0; i < rows; i++)
			total += out[b + i] = a[i];
	}
	return total;
}

__attribute__((noinline)) static void triad(double *restrict a, const double *restrict b, const double *restrict c, double s,
                                            long n) {
	for (long i = 0; i < n; i++)
		a[i] = b[i] + s * c[i];
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void die(const char *what) {
	fprintf(stderr, "kernel: %s\n", what);
	exit(1);
}

static double *allocate(long n) {
	double *x = aligned_alloc(64, (8 * n + 63) / 64 * 64);
	if (!x)
		die("not enough memory");
	return x;
}

// crowd fills count rows of length 1; they repeat after a thousand.
static void crowd(double *p0, long count, long m) {
	unsigned long state = 1;
	long first = count < 1000 ? count : 1000;
	for (long i = 0; i < first * m; i++) {
		state = state * 6364136223846793005UL + 1442695040888963407UL;
		p0[i] = (double)(state >> 11) * 0x1p-52 - 1;
	}
	for (long i = 0; i < first; i++)
		scale(p0 + i * m, 1 / norm(p0 + i * m, m), m);
	for (long i = first; i < count; i++)
		memcpy(p0 + i * m, p0 + (i - first) * m, 8 * m);
}

// bench is one size of the crowd with everything the kernels work on.
typedef struct {
	long people, m, calls, samples;
	double *p, *p0, *third, *q;
	model f;
} bench;

static bench prepare(long people, long m, long calls, long samples) {
	long n = people * m;
	bench b = {people, m, calls, samples, allocate(n), allocate(n), allocate(n), allocate(m), {0.4, 0.5}};
	crowd(b.p0, people, m);
	memcpy(b.p, b.p0, 8 * n);
	memset(b.third, 0, 8 * n);
	memcpy(b.q, b.p0 + m, 8 * m);
	return b;
}

static void discard(bench b) { free(b.p), free(b.p0), free(b.third), free(b.q); }

static void run_step(bench b) { step(b.p, b.p0, b.q, b.people, b.m, b.f); }
static void run_steady(bench b) { steady(b.third, b.p0, b.q, b.people, b.m, b.f); }
static void run_triad(bench b) { triad(b.third, b.p, b.p0, 0.5, b.people * b.m); }

typedef struct {
	double median, best;
} seconds;

// measure times a kernel, after a call to warm up, and returns the seconds a call takes.
static seconds measure(void (*run)(bench), bench b) {
	double t[64];
	run(b);
	for (long i = 0; i < b.samples; i++) {
		double start = now();
		for (long c = 0; c < b.calls; c++)
			run(b);
		t[i] = (now() - start) / b.calls;
	}
	qsort(t, b.samples, sizeof *t, ascending);
	return (seconds){t[b.samples / 2], t[0]};
}

static void print_people(const char *name, seconds t, bench b) {
	printf("\"%s\": {\"ns_per_individual\": %.6g, \"best\": %.6g, \"individuals\": %ld}", name, 1e9 * t.median / b.people,
	       1e9 * t.best / b.people, b.people);
}

static void print_traffic(const char *name, seconds t, bench b) {
	double gigabytes = 24e-9 * b.people * b.m;
	printf("\"%s\": {\"gb_per_second\": %.6g, \"best\": %.6g, \"individuals\": %ld}", name, gigabytes / t.median,
	       gigabytes / t.best, b.people);
}

// large times the step and the triad on arrays that no cache holds.
static void large(const char *step_name, const char *triad_name, long people, long samples) {
	bench b = prepare(people, 20, 1, samples);
	printf(", ");
	print_people(step_name, measure(run_step, b), b);
	printf(", ");
	print_traffic(triad_name, measure(run_triad, b), b);
	discard(b);
}

static double *read_all(const char *folder, const char *name, long *n) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END))
		die(path);
	*n = ftell(file) / 8;
	rewind(file);
	double *x = allocate(*n);
	if (fread(x, 8, *n, file) != (size_t)*n)
		die(path);
	fclose(file);
	return x;
}

static void write_all(const char *folder, const char *name, const double *x, long n) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(x, 8, n, file) != (size_t)n || fclose(file))
		die(path);
}

static void check(const char *in, const char *out) {
	long n, m;
	double *q = read_all(in, "q0.f64", &m), *p0 = read_all(in, "people.f64", &n);
	if (m == 0 || n % (4 * m))
		die("people.f64 must hold a multiple of four rows as long as q0.f64");
	double *p = allocate(n), *affinity = allocate(n / m);
	model f = {0.4, 0.5};
	memcpy(p, p0, 8 * n);
	step(p, p0, q, n / m, m, f);
	steady(affinity, p0, q, n / m, m, f);
	write_all(out, "step.f64", p, n);
	write_all(out, "affinities.f64", affinity, n / m);
}

int main(int argc, char **argv) {
	if (argc == 4 && !strcmp(argv[1], "--check")) {
		check(argv[2], argv[3]);
		return 0;
	}
	bench b = prepare(1000, 20, 100, 41);
	printf("{");
	print_people("polarized-step-1e3", measure(run_step, b), b);
	printf(", ");
	print_people("polarized-steady-1e3", measure(run_steady, b), b);
	discard(b);
	large("polarized-step-1e6", "triad-1e6", 1000000, 11);
	if (!(argc > 1 && !strcmp(argv[1], "--skip-large")))
		large("polarized-step-1e7", "triad-1e7", 10000000, 5);
	printf("}\n");
	return 0;
}
