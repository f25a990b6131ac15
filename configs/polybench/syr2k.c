// The lower triangle of C = alpha * (A * transpose(B) + B * transpose(A)) + beta * C, with A and B of N x M.

#pragma scop
for (int i = 0; i < N; i++) {
  for (int j = 0; j <= i; j++) C[i][j] *= beta;
  for (int k = 0; k < M; k++)
    for (int j = 0; j <= i; j++) C[i][j] += A[j][k] * (alpha * B[i][k]) + B[j][k] * (alpha * A[i][k]);
}
#pragma endscop
