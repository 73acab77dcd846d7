#include "hard_pairs.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "oracle.h"

/* The nearest few in each power of two of the distance: near results that have a reason
 * (an angle so small that it is almost its tangent) must not crowd out the others. */
enum { EACH = 4, NEAREST = 160, FARTHEST = 38 };

typedef struct {
    uint16_t a;
    int32_t b;
    double distance; /* 0 where there is no pair yet */
} hard_pair;

static hard_pair hard_pairs[FUNCTIONS][NEAREST + 1][EACH];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Nearer first; of equals, which are mirrored or scaled, the one of smaller bits. */
static bool precedes(const hard_pair *p, const hard_pair *q)
{
    double d = fabs(p->distance), e = fabs(q->distance);
    if (e == 0 || d != e)
        return e == 0 || d < e;
    return p->a != q->a ? p->a < q->a : p->b < q->b;
}

/* Puts a pair in its place; the last one falls out, or the one of equal distance. */
static void insert(hard_pair *list, hard_pair pair)
{
    for (int i = 0; i < EACH; ++i) {
        bool equal = fabs(list[i].distance) == fabs(pair.distance);
        if (precedes(&pair, &list[i])) {
            hard_pair moved = list[i];
            list[i] = pair;
            pair = moved;
        }
        if (equal)
            return;
    }
}

void note_hard_pair(int f, uint16_t a, int32_t b, double distance)
{
    int power = -ilogb(distance);
    if (power < FARTHEST || power > NEAREST)
        return;
    pthread_mutex_lock(&mutex);
    insert(hard_pairs[f][power], (hard_pair){a, b, distance});
    pthread_mutex_unlock(&mutex);
}

static void write_pair(FILE *file, const function *f, const hard_pair *pair)
{
    fprintf(file, f->integers ? "%s 0x%04x %" PRId32 " %.3g\n" : "%s 0x%04x 0x%04x %.3g\n",
            f->name, pair->a, pair->b, pair->distance);
}

bool write_hard_pairs(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file,
            "# Operands whose exact result is close to a half or to the midpoint of two,\n"
            "# and how close, relatively: up to four for each power of two, by\n"
            "# tools/check_pairs.\n");
    for (int f = 0; f < FUNCTIONS; ++f) {
        for (int power = NEAREST; power >= FARTHEST; --power) {
            for (int i = 0; i < EACH && hard_pairs[f][power][i].distance != 0; ++i)
                write_pair(file, &functions[f], &hard_pairs[f][power][i]);
        }
    }
    return fclose(file) == 0;
}
