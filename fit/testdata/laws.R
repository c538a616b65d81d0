# Numbers that TestLawsAgreeWithR expects: Rscript laws.R in this folder, R 4. Only base R is used.
# Sandwich: inverse of the curvature of the likelihood, times squares of scores by person, times that inverse, with G/(G-1) (N-1)/(N-k).
d <- read.csv("laws.csv"); options(digits = 12)
clustered <- function(H, U, who, k) {
  S <- rowsum(U, who); G <- nrow(S); N <- nrow(U)
  B <- solve(H); sqrt(diag(B %*% crossprod(S) %*% B * G/(G-1) * (N-1)/(N-k)))
}
# Student's law with 4 degrees of freedom, by its density dt and numerical derivatives.
nll <- function(b) -sum(dt((d$heavy - b[1]*d$p - b[2]*d$q - b[3])/exp(b[4]), 4, log = TRUE) - b[4])
b <- c(coef(lm(heavy ~ p + q, d))[c(2, 3, 1)], 0)
for (i in 1:5) b <- optim(b, nll, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000))$par
one <- function(b, i) -(dt((d$heavy[i] - b[1]*d$p[i] - b[2]*d$q[i] - b[3])/exp(b[4]), 4, log = TRUE) - b[4])
grad <- function(f, b, h = 1e-5) sapply(seq_along(b), function(j) { e <- replace(0*b, j, h); (f(b+e) - f(b-e))/(2*h) })
hess <- function(f, b, h = 1e-3) { H <- matrix(0, 4, 4); for (j in 1:4) for (k in 1:4) { u <- replace(0*b, j, h); v <- replace(0*b, k, h); H[j,k] <- (f(b+u+v)-f(b+u-v)-f(b-u+v)+f(b-u-v))/(4*h*h) }; H }
b <- b - solve(hess(nll, b), grad(nll, b)); b <- b - solve(hess(nll, b), grad(nll, b))
U <- t(sapply(1:nrow(d), function(i) grad(function(x) one(x, i), b)))
cat("student", c(b[1:3], exp(b[4])), "errors", clustered(hess(nll, b), U, d$who, 4)[1:3], "\n")
# Counts with a mean that is linear, and answers of yes or no by a logit: glm.
g <- glm(count ~ abs(p) + q, poisson(link = "identity"), d, start = c(2, 0, 0), epsilon = 1e-14)
X <- model.matrix(g); b <- coef(g)
for (i in 1:20) { m <- drop(X %*% b); U <- X*(d$count/m - 1); H <- crossprod(X, X/m); b <- b + solve(H, colSums(U)) } # glm stops by the deviance
cat("poisson", b[c(2, 3, 1)], "errors", clustered(H, U, d$who, 3)[c(2, 3, 1)], "excess", sum((d$count-m)^2/m)/(nrow(d)-3), "\n")
g <- glm(yes ~ p + q, binomial, d, epsilon = 1e-14)
X <- model.matrix(g); m <- fitted(g); U <- X*(d$yes - m); H <- crossprod(X, X*m*(1-m))
cat("bernoulli", coef(g)[c(2, 3, 1)], "errors", clustered(H, U, d$who, 3)[c(2, 3, 1)], "\n")
