// Solves a Toeplitz system with the first column r by Levinson and Durbin: y of length k + 1 from y of length k.

#pragma scop
y[0] = -r[0];
beta = 1.0;
alpha = -r[0];
for (int k = 1; k < N; k++) {
  beta = (1.0 - alpha * alpha) * beta;
  s = 0.0;
  for (int i = 0; i < k; i++) s += r[k - i - 1] * y[i];
  alpha = -(r[k] + s) / beta;
  for (int i = 0; i < k; i++) z[i] = y[i] + alpha * y[k - i - 1];
  for (int i = 0; i < k; i++) y[i] = z[i];
  y[k] = alpha;
}
#pragma endscop
