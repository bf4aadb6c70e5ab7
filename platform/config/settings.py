"""Every setting of the site. Values come from environment variables (see README); the defaults serve one machine."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config import env, secret

ROOT = Path(__file__).resolve().parents[2]
VAR = Path(env.text("ARENA_VAR", str(ROOT / "var")))
PRODUCTION = env.flag("ARENA_PRODUCTION", default=False)
DEBUG = env.flag("DEBUG", default=False)
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("DEBUG must be off when ARENA_PRODUCTION is on: its pages show secrets.")

# Production has no default for anything secret or outward-facing; one machine makes its own key and keeps it.
SECRET_KEY = env.text("SECRET_KEY") if PRODUCTION else env.text("SECRET_KEY", secret.kept_key(VAR))
ALLOWED_HOSTS = env.names("ALLOWED_HOSTS", "") if PRODUCTION else ["*"]
if PRODUCTION and not ALLOWED_HOSTS:
    raise ImproperlyConfigured("The environment variable ALLOWED_HOSTS is not set. Set it and start again.")
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if host != "*"]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "accounts",
    "bots",
    "ladder",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "platform" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": env.database("DATABASE_URL", sqlite_file=VAR / "arena.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
LOGIN_REDIRECT_URL = "/my/"

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [ROOT / "platform" / "static"]

_REDIS = env.redis_url("REDIS_URL")
if PRODUCTION and _REDIS is None:
    raise ImproperlyConfigured("The environment variable REDIS_URL is not set. Set it and start again.")
if PRODUCTION:
    env.text("DATABASE_URL")
CELERY_BROKER_URL = _REDIS or "filesystem://"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
if _REDIS is None:
    _QUEUE = VAR / "broker"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_QUEUE / "messages"),
        "data_folder_out": str(_QUEUE / "messages"),
        "control_folder": str(_QUEUE / "control"),
        "polling_interval": 0.2,
    }

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
SECURE_REFERRER_POLICY = "same-origin"
