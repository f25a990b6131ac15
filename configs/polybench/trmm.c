// B = alpha * transpose(A) * B in place, with A lower triangular of M x M with ones on its diagonal, B of M x N.

#pragma scop
for (int i = 0; i < M; i++)
  for (int j = 0; j < N; j++) {
    for (int k = i + 1; k < M; k++) B[i][j] += A[k][i] * B[k][j];
    B[i][j] = alpha * B[i][j];
  }
#pragma endscop
