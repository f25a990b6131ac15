// y = transpose(A) * (A * x), with A of M x N.

#pragma scop
for (int j = 0; j < N; j++) y[j] = 0.0;
for (int i = 0; i < M; i++) {
  t[i] = 0.0;
  for (int j = 0; j < N; j++) t[i] += A[i][j] * x[j];
  for (int j = 0; j < N; j++) y[j] += A[i][j] * t[i];
}
#pragma endscop
