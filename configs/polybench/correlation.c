// The correlations of M variables from N observations each: columns are centred and scaled in place, then multiplied.

#pragma scop
for (int j = 0; j < M; j++) {
  mean[j] = 0.0;
  for (int i = 0; i < N; i++) mean[j] += data[i][j];
  mean[j] /= n;
}
for (int j = 0; j < M; j++) {
  dev[j] = 0.0;
  for (int i = 0; i < N; i++) dev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
  dev[j] /= n;
  dev[j] = sqrt(dev[j]);
  dev[j] = dev[j] <= eps ? 1.0 : dev[j];
}
for (int i = 0; i < N; i++)
  for (int j = 0; j < M; j++) {
    data[i][j] -= mean[j];
    data[i][j] /= sqrt(n) * dev[j];
  }
for (int i = 0; i < M - 1; i++) {
  corr[i][i] = 1.0;
  for (int j = i + 1; j < M; j++) {
    corr[i][j] = 0.0;
    for (int k = 0; k < N; k++) corr[i][j] += data[k][i] * data[k][j];
    corr[j][i] = corr[i][j];
  }
}
corr[M - 1][M - 1] = 1.0;
#pragma endscop
