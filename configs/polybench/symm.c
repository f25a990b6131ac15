// C = alpha * A * B + beta * C, with A symmetric of M x M, of which only the lower triangle is stored, and B of M x N.

#pragma scop
for (int i = 0; i < M; i++)
  for (int j = 0; j < N; j++) {
    t = 0.0;
    for (int k = 0; k < i; k++) {
      C[k][j] += alpha * B[i][j] * A[i][k];
      t += B[k][j] * A[i][k];
    }
    C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * t;
  }
#pragma endscop
