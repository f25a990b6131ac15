// The covariances of M variables from N observations each: columns are centred in place, then multiplied.

#pragma scop
for (int j = 0; j < M; j++) {
  mean[j] = 0.0;
  for (int i = 0; i < N; i++) mean[j] += data[i][j];
  mean[j] /= n;
}
for (int i = 0; i < N; i++)
  for (int j = 0; j < M; j++) data[i][j] -= mean[j];
for (int i = 0; i < M; i++)
  for (int j = i; j < M; j++) {
    cov[i][j] = 0.0;
    for (int k = 0; k < N; k++) cov[i][j] += data[k][i] * data[k][j];
    cov[i][j] /= n - 1.0;
    cov[j][i] = cov[i][j];
  }
#pragma endscop
