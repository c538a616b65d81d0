# Arellano and Bond's estimates by plm's pgmm: a CSV of unit, time, y, x is the first argument; lines of name and numbers come out.
suppressWarnings(suppressMessages(library(plm)))
d <- pdata.frame(read.csv(commandArgs(TRUE)[1]), index = c("unit", "time"))
show <- function(name, ...) cat(name, format(c(...), digits = 17), "\n")
for (effect in c("individual", "twoways")) for (model in c("onestep", "twosteps")) for (collapse in c(FALSE, TRUE)) {
  m <- suppressWarnings(pgmm(y ~ lag(y, 1) + x | lag(y, 2:4), data = d, effect = effect, model = model, collapse = collapse))
  b <- if (model == "onestep") m$coefficients else m$coefficients[[2]]
  V <- suppressWarnings(vcovHC(m))
  s <- sargan(m)
  # As a matrix: a function called vcov would also take the place of the plain covariance inside mtest.
  show(paste(effect, model, collapse, sep = "/"), b[1:2], sqrt(diag(V))[1:2], s$statistic, s$p.value, s$parameter,
    mtest(m, 1, vcov = V)$statistic, mtest(m, 2, vcov = V)$statistic)
}
