// D = alpha * A * B * C + beta * D, with P = alpha * A * B of NI x NJ in between, C of NJ x NL.

#pragma scop
for (int i = 0; i < NI; i++) {
  for (int j = 0; j < NJ; j++) P[i][j] = 0.0;
  for (int k = 0; k < NK; k++)
    for (int j = 0; j < NJ; j++) P[i][j] += alpha * A[i][k] * B[k][j];
}
for (int i = 0; i < NI; i++) {
  for (int l = 0; l < NL; l++) D[i][l] *= beta;
  for (int j = 0; j < NJ; j++)
    for (int l = 0; l < NL; l++) D[i][l] += P[i][j] * C[j][l];
}
#pragma endscop
