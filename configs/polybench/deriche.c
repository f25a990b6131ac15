// The recursive edge filter of Deriche on an image of W x H: along rows both ways, then along columns both ways.

#pragma scop
for (int i = 0; i < W; i++) {
  ym1 = 0.0;
  ym2 = 0.0;
  xm1 = 0.0;
  for (int j = 0; j < H; j++) {
    y1[i][j] = a1 * image[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
    xm1 = image[i][j];
    ym2 = ym1;
    ym1 = y1[i][j];
  }
}
for (int i = 0; i < W; i++) {
  yp1 = 0.0;
  yp2 = 0.0;
  xp1 = 0.0;
  xp2 = 0.0;
  for (int j = H - 1; j >= 0; j--) {
    y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
    xp2 = xp1;
    xp1 = image[i][j];
    yp2 = yp1;
    yp1 = y2[i][j];
  }
}
for (int i = 0; i < W; i++)
  for (int j = 0; j < H; j++) out[i][j] = c1 * (y1[i][j] + y2[i][j]);
for (int j = 0; j < H; j++) {
  tm1 = 0.0;
  ym1 = 0.0;
  ym2 = 0.0;
  for (int i = 0; i < W; i++) {
    y1[i][j] = a5 * out[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
    tm1 = out[i][j];
    ym2 = ym1;
    ym1 = y1[i][j];
  }
}
for (int j = 0; j < H; j++) {
  tp1 = 0.0;
  tp2 = 0.0;
  yp1 = 0.0;
  yp2 = 0.0;
  for (int i = W - 1; i >= 0; i--) {
    y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
    tp2 = tp1;
    tp1 = out[i][j];
    yp2 = yp1;
    yp1 = y2[i][j];
  }
}
for (int i = 0; i < W; i++)
  for (int j = 0; j < H; j++) out[i][j] = c2 * (y1[i][j] + y2[i][j]);
#pragma endscop
