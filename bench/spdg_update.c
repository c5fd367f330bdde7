/* Algorithm 1 for the paper's two-weight classifier and a bigram label model, as one would write it in C.
   The rival of Ventris' compiled update: same batches, same synchronous step, libm's exp. */
#include <math.h>
#include <stdint.h>

void spdg_updates(const double *xa, const double *xb, const int64_t *starts, int64_t n_updates, int length,
                  double gamma, const double *lm_prob, double *weights, double *dual, double primal_lr,
                  double dual_lr)
{
    double q[1024], v[4], wa = weights[0], wb = weights[1];
    const double scale = 1.0 / (length - 1);
    for (int i = 0; i < 4; i++) v[i] = dual[i];
    for (int64_t u = 0; u < n_updates; u++) {
        const double *a = xa + starts[u], *b = xb + starts[u];
        const double ga = gamma * wa, gb = gamma * wb;
        for (int t = 0; t < length; t++) q[t] = 1.0 / (1.0 + exp(gb * b[t] - ga * a[t]));

        const double a00 = lm_prob[0] * v[0], a01 = lm_prob[1] * v[1];
        const double a10 = lm_prob[2] * v[2], a11 = lm_prob[3] * v[3];
        const double slope = a00 - a01 - a10 + a11, before = a01 - a11, after = a10 - a11;
        double both = 0.0, first = 0.0, second = 0.0;
        for (int t = 0; t + 1 < length; t++) {
            both += q[t] * q[t + 1];
            first += q[t];
            second += q[t + 1];
        }
        /* The two ends have one neighbour each; no branch inside the loop. */
        const int n = length - 1;
        double h = (before + slope * q[1]) * q[0] * (1.0 - q[0]);
        double da = h * a[0], db = -h * b[0];
        for (int t = 1; t < n; t++) {
            h = (before + after + slope * (q[t - 1] + q[t + 1])) * q[t] * (1.0 - q[t]);
            da += h * a[t];
            db -= h * b[t];
        }
        h = (after + slope * q[n - 1]) * q[n] * (1.0 - q[n]);
        da += h * a[n];
        db -= h * b[n];

        wa -= primal_lr * gamma * scale * da;
        wb -= primal_lr * gamma * scale * db;
        const double e[4] = {both * scale, (first - both) * scale, (second - both) * scale,
                             1.0 - (first + second - both) * scale};
        for (int i = 0; i < 4; i++) v[i] += dual_lr * lm_prob[i] * (e[i] + 1.0 / v[i]);
    }
    weights[0] = wa;
    weights[1] = wb;
    for (int i = 0; i < 4; i++) dual[i] = v[i];
}
