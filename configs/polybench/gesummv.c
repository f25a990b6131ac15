// y = alpha * A * x + beta * B * x, with A and B of N x N.

#pragma scop
for (int i = 0; i < N; i++) {
  t[i] = 0.0;
  y[i] = 0.0;
  for (int j = 0; j < N; j++) {
    t[i] += A[i][j] * x[j];
    y[i] += B[i][j] * x[j];
  }
  y[i] = alpha * t[i] + beta * y[i];
}
#pragma endscop
