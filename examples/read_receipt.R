# Read a receipt of discreet in R: check its certificate's digest, and compute the noise-aware intervals anew.
#
#   Rscript examples/read_receipt.R receipt.json
#
# It needs base R and the package jsonlite, and neither the data nor Python. It reads geometric releases of two categories,
# whose number of records is public. The functions below can be used one by one: source("read_receipt.R").

# SHA-256 ---------------------------------------------------------------------------------------------------------------
# Base R has it from version 4.5 on (tools::sha256sum); here it is in plain R, for every version. Words of 32 bits are
# doubles below 2^32, because R's integers have a sign.

word_of <- function(high, low) high * 65536 + low
high_of <- function(x) x %/% 65536
low_of <- function(x) x %% 65536
bits <- function(f, x, y) word_of(f(high_of(x), high_of(y)), f(low_of(x), low_of(y)))
xor32 <- function(x, y) bits(bitwXor, x, y)
and32 <- function(x, y) bits(bitwAnd, x, y)
add32 <- function(...) sum(...) %% 2^32
rotate <- function(x, n) (x %/% 2^n) + (x %% 2^n) * 2^(32 - n)

primes <- Filter(function(p) p == 2 || all(p %% 2:ceiling(sqrt(p)) != 0), 2:311)
fraction_bits <- function(p, power) {
  # The first 32 bits of the fraction of p^power: a double has 53, of which the whole part takes at most 5.
  root <- p^power
  floor((root - floor(root)) * 2^32)
}
first_words <- fraction_bits(primes[1:8], 1 / 2)
round_words <- fraction_bits(primes, 1 / 3)

sha256 <- function(text) {
  bytes <- as.integer(charToRaw(enc2utf8(text)))
  length_bits <- 8 * length(bytes)
  padded <- c(bytes, 128L, rep(0L, (55 - length(bytes)) %% 64), (length_bits %/% 256^(7:0)) %% 256)
  words <- colSums(matrix(padded, nrow = 4) * 256^(3:0))
  state <- first_words
  for (start in seq(1, length(words), by = 16)) {
    w <- c(words[start:(start + 15)], numeric(48))
    for (i in 17:64) {
      s0 <- xor32(xor32(rotate(w[i - 15], 7), rotate(w[i - 15], 18)), w[i - 15] %/% 2^3)
      s1 <- xor32(xor32(rotate(w[i - 2], 17), rotate(w[i - 2], 19)), w[i - 2] %/% 2^10)
      w[i] <- add32(w[i - 16], s0, w[i - 7], s1)
    }
    v <- state
    for (i in 1:64) {
      s1 <- xor32(xor32(rotate(v[5], 6), rotate(v[5], 11)), rotate(v[5], 25))
      choice <- xor32(and32(v[5], v[6]), and32(2^32 - 1 - v[5], v[7]))
      t1 <- add32(v[8], s1, choice, round_words[i], w[i])
      s0 <- xor32(xor32(rotate(v[1], 2), rotate(v[1], 13)), rotate(v[1], 22))
      majority <- xor32(xor32(and32(v[1], v[2]), and32(v[1], v[3])), and32(v[2], v[3]))
      v <- c(add32(t1, s0, majority), v[1:3], add32(v[4], t1), v[5:7])
    }
    state <- (state + v) %% 2^32
  }
  paste(sprintf("%04x%04x", high_of(state), low_of(state)), collapse = "")
}

# The certificate -------------------------------------------------------------------------------------------------------
# Its digest is the SHA-256 of its other fields as JSON: keys sorted, no blanks, ASCII alone.

ascii_text <- function(text) {
  codes <- utf8ToInt(enc2utf8(text))
  short <- c("8" = "\\b", "9" = "\\t", "10" = "\\n", "12" = "\\f", "13" = "\\r", "34" = "\\\"", "92" = "\\\\")
  escaped <- vapply(codes, function(code) {
    if (as.character(code) %in% names(short)) return(short[[as.character(code)]])
    if (code >= 32 && code < 127) return(intToUtf8(code))
    if (code < 65536) return(sprintf("\\u%04x", code))
    sprintf("\\u%04x\\u%04x", 55296 + (code - 65536) %/% 1024, 56320 + (code - 65536) %% 1024)
  }, "")
  paste0("\"", paste(escaped, collapse = ""), "\"")
}

canonical <- function(value) {
  if (is.null(value)) return("null")
  if (is.character(value)) return(ascii_text(value))
  if (is.logical(value)) return(tolower(as.character(value)))
  if (is.numeric(value)) return(sprintf("%.0f", value))
  if (is.null(names(value))) return(paste0("[", paste(vapply(value, canonical, ""), collapse = ","), "]"))
  keys <- sort(names(value), method = "radix")
  pairs <- vapply(keys, function(key) paste0(ascii_text(key), ":", canonical(value[[key]])), "")
  paste0("{", paste(pairs, collapse = ","), "}")
}

digest_of <- function(certificate) {
  sha256(canonical(certificate[c("facts", "loss", "method", "statement", "worst")]))
}

check_digest <- function(receipt) {
  certificate <- receipt$certificate
  if (digest_of(certificate) != certificate$digest) stop("the certificate was changed: its digest does not fit")
  facts <- certificate$facts
  same <- identical(facts$n, receipt$n) && facts$epsilon == receipt$epsilon_exact && facts$mechanism == receipt$mechanism$name &&
    facts$adjacency == receipt$adjacency && all(exact(facts$prior) == exact(receipt$prior))
  if (!same) stop("the certificate is of another release")
  invisible(TRUE)
}

# The noise-aware posterior ---------------------------------------------------------------------------------------------
# The release is a pair that sums to n, whose first number z has probability proportional to exp(-epsilon |z - c|) when the
# true count is c. Bayes: weigh every count by that and by the prior predictive. The share is then a mixture of Betas.

exact <- function(numbers) {
  vapply(numbers, function(number) {
    parts <- as.numeric(strsplit(as.character(number), "/", fixed = TRUE)[[1]])
    if (length(parts) == 2) parts[1] / parts[2] else parts
  }, 0)
}

noise_aware <- function(receipt) {
  two <- receipt$mechanism$name == "geometric" && length(receipt$categories) == 2 && is.null(receipt$groups)
  if (!two || receipt$adjacency != "replace-one") stop("this is not a geometric release of two categories with public n")
  n <- receipt$n
  epsilon <- exact(receipt$epsilon_exact)
  prior <- exact(receipt$prior)
  z <- as.numeric(receipt$output[[1]])
  reach <- min(n, ceiling(100 / epsilon))  # beyond it a count weighs less than e^-100
  if (reach > 5e6) stop("so many counts do not fit in memory: use discreet infer")
  counts <- max(0, min(n, z) - reach):min(n, max(0, z) + reach)
  log_weights <- -epsilon * abs(z - counts) + lchoose(n, counts) + lbeta(prior[1] + counts, prior[2] + n - counts)
  weights <- exp(log_weights - max(log_weights))
  weights <- weights / sum(weights)
  list(weights = weights, a = prior[1] + counts, b = prior[2] + n - counts)
}

share_mean <- function(belief) sum(belief$weights * belief$a / (belief$a + belief$b))

share_quantile <- function(belief, p) {
  # On the logit scale, so that shares next to 0 and 1 are found too.
  excess <- function(x) sum(belief$weights * pbeta(plogis(x), belief$a, belief$b)) - p
  plogis(uniroot(excess, c(-700, 36), tol = 1e-13, maxiter = 10000)$root)
}

share_interval <- function(belief, level = 0.95) {
  c(share_quantile(belief, (1 - level) / 2), share_quantile(belief, (1 + level) / 2))
}

main <- function(path) {
  receipt <- jsonlite::fromJSON(path, simplifyVector = FALSE)
  check_digest(receipt)
  cat("the certificate's digest holds:", receipt$certificate$digest, "\n")
  belief <- noise_aware(receipt)
  ends <- share_interval(belief)
  labels <- unlist(receipt$categories)
  rows <- rbind(c(share_mean(belief), ends), c(1 - share_mean(belief), 1 - rev(ends)))
  for (i in 1:2) cat(sprintf("%s\t%.10f\t%.10f\t%.10f\n", labels[i], rows[i, 1], rows[i, 2], rows[i, 3]))
}

if (sys.nframe() == 0L) {
  arguments <- commandArgs(trailingOnly = TRUE)
  if (length(arguments) != 1) stop("say which receipt: Rscript read_receipt.R receipt.json")
  main(arguments)
}
