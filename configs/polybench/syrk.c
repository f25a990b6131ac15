// The lower triangle of C = alpha * A * transpose(A) + beta * C, with A of N x M.

#pragma scop
for (int i = 0; i < N; i++) {
  for (int j = 0; j <= i; j++) C[i][j] *= beta;
  for (int k = 0; k < M; k++)
    for (int j = 0; j <= i; j++) C[i][j] += alpha * A[i][k] * A[j][k];
}
#pragma endscop
