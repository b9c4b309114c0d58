// SPDX-License-Identifier: Apache-2.0
// Two threads of libcrypto: its first use in both of them, or a key and a certificate that they share.
#undef NDEBUG
#include <assert.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <string.h>

static EVP_PKEY* key;
static X509* certificate;

static void* first_use(void* number) {
  const int reason = 1 + (number != NULL);
  ERR_raise(ERR_LIB_USER, reason);
  unsigned char bytes[16], digest[32];
  assert(RAND_bytes(bytes, sizeof bytes) == 1);
  EVP_MD* sha = EVP_MD_fetch(NULL, "SHA256", NULL);
  assert(sha && EVP_Digest("abc", 3, digest, NULL, sha, NULL) == 1 && digest[0] == 0xba && digest[31] == 0xad);
  EVP_MD_free(sha);
  assert(ERR_GET_REASON(ERR_get_error()) == reason && ERR_peek_error() == 0);
  return NULL;
}

static void* shared_use(void* unused) {
  unsigned char signature[128];
  size_t size = sizeof signature;
  assert(X509_check_purpose(certificate, -1, 0) == 1);
  assert(X509_verify(certificate, key) == 1);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  assert(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1);
  assert(EVP_DigestSign(context, signature, &size, (const unsigned char*)"abc", 3) == 1);
  EVP_MD_CTX_reset(context);
  assert(EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1);
  assert(EVP_DigestVerify(context, signature, size, (const unsigned char*)"abc", 3) == 1);
  EVP_MD_CTX_free(context);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return unused;
}

int main(int count, char** words) {
  const int shares = count > 1 && strcmp(words[1], "shared") == 0;
  if (shares) {
    key = EVP_RSA_gen(512);
    certificate = X509_new();
    assert(X509_set_pubkey(certificate, key) == 1 && X509_sign(certificate, key, EVP_sha256()) != 0);
    assert(X509_up_ref(certificate) == 1 && EVP_PKEY_up_ref(key) == 1);  // one for each thread
  }
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, shares ? shared_use : first_use, i ? &threads : NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
